# What is installed is enough for a project outside, by find_package and by pkg-config:
# cmake -DBUILD=... -DWORK=... -DOUTSIDE=... -DCC=... -DCXX=... -DLIBDIR=... -P this
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${failed}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
foreach(component client client_dev)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component ${component})
endforeach()

# find_package
run(${CMAKE_COMMAND} -S ${OUTSIDE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
run(${WORK}/build/outside_cpp)

# By hand, with one folder of headers.
run(${CC} -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I${prefix}/include ${OUTSIDE}/main.c)

# pkg-config
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
execute_process(COMMAND pkg-config --define-prefix --cflags --libs quoin
  OUTPUT_VARIABLE flags RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "pkg-config does not know quoin")
endif()
separate_arguments(flags)
run(${CC} -std=c11 -Wall -Wextra -Wpedantic -Werror ${OUTSIDE}/main.c -o ${WORK}/outside ${flags})
run(${WORK}/outside)
run(${CXX} -std=c++17 -Wall -Wextra -Wpedantic -Werror ${OUTSIDE}/main.cpp -o ${WORK}/outside_cpp
  ${flags})
run(${WORK}/outside_cpp)
