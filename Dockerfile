# A node of Quoin.
#
#   docker build -t quoin .
#   docker run -d --name quoin -p 7100-7101:7100-7101 -p 127.0.0.1:7180:7180 -v quoin:/var/lib/quoin \
#       -e QUOIN_NODE__ADVERTISE=127.0.0.1 quoin
#   docker exec quoin quoin status
#
# All state is in the volume /var/lib/quoin. Settings: QUOIN_SECTION__KEY in the environment, or a file
# mounted at /etc/quoin/quoin.cfg. `docker stop` ends it cleanly; give it time with -t when it is busy.

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY deploy/packages.sh deploy/packages.sh
RUN sh deploy/packages.sh build && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    && cmake --build /build --target quoind quoin_cli \
    && install -D -s /build/bin/quoind /out/usr/bin/quoind \
    && install -D -s /build/bin/quoin /out/usr/bin/quoin \
    && install -D -m 644 config/quoin.cfg /out/etc/quoin/quoin.cfg \
    && install -D -m 644 config/types.cfg /out/etc/quoin/types.cfg

FROM debian:bookworm-slim
COPY deploy/packages.sh /tmp/packages.sh
RUN sh /tmp/packages.sh run && rm -rf /var/lib/apt/lists/* /tmp/packages.sh \
    && groupadd --gid 10001 quoin \
    && useradd --uid 10001 --gid quoin --no-create-home --home-dir /var/lib/quoin --shell /usr/sbin/nologin quoin \
    && install -d -o quoin -g quoin -m 750 /var/lib/quoin
COPY --from=build /out/ /
# Inside a container the node listens on every address; -p decides who reaches it. The number of shards is
# fixed, since each has a port.
ENV QUOIN_NODE__DATA_DIR=/var/lib/quoin/data \
    QUOIN_NODE__BIND=0.0.0.0 \
    QUOIN_NODE__ADVERTISE=127.0.0.1 \
    QUOIN_NODE__SHARDS=2 \
    QUOIN_ADMIN__BIND=0.0.0.0 \
    QUOIN_TYPES=/etc/quoin/types.cfg
USER 10001
WORKDIR /var/lib/quoin
VOLUME /var/lib/quoin
EXPOSE 7100 7101 7180
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["quoin", "ping", "--ready", "--timeout", "3s"]
ENTRYPOINT ["quoind", "--config", "/etc/quoin/quoin.cfg"]
