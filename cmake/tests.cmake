# What every test finds in its environment.
set(QUOIN_TEST_ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp")

# quoin_unit_test(test_name source... [LIBS library...]): a cmocka program under ctest, named as its file.
function(quoin_unit_test name)
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE quoin_flags ${arg_LIBS} PkgConfig::CMOCKA)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS unit
    ENVIRONMENT ${QUOIN_TEST_ENVIRONMENT})
endfunction()

# quoin_fuzzer(fuzz_name source... [LIBS library...]): a libFuzzer target; with QUOIN_FUZZ it also runs
# under ctest for QUOIN_FUZZ_SECONDS on the kept inputs in tests/fuzz/corpus/<name>.
set(QUOIN_FUZZ_SECONDS 10 CACHE STRING "How long each fuzzer runs under ctest")
function(quoin_fuzzer name)
  if(NOT QUOIN_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE quoin_flags ${arg_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  set(work ${CMAKE_BINARY_DIR}/fuzz/corpus/${name})
  file(MAKE_DIRECTORY ${work})
  add_test(NAME ${name} COMMAND ${name} -max_total_time=${QUOIN_FUZZ_SECONDS} -timeout=10
    -rss_limit_mb=2048 ${work} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS fuzz)
endfunction()
