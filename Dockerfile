# Sluice with its libraries, without sources and without an engine's models: those are written on first use.
#   docker build -t sluice .
#   docker run --rm -v sluice-cache:/sluice/cache -v sluice-results:/sluice/results sluice run configs/quickstart.yaml
FROM eclipse-temurin:17-jdk AS build
WORKDIR /sluice
COPY . .
RUN ./mvnw -B -ntp -Dmaven.test.skip=true -pl cli -am package

FROM eclipse-temurin:17-jre
# The plots' letters come from the system's fonts.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fontconfig fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /sluice
COPY --from=build /sluice/sluice /sluice/LICENSE /sluice/THIRD-PARTY.md ./
COPY --from=build /sluice/target/lib target/lib
COPY --from=build /sluice/configs configs
# A new volume takes over the owner of the folder that it covers.
RUN useradd --uid 10001 --create-home sluice && mkdir cache results && chown sluice: cache results
USER sluice
ENV SLUICE_CACHE=/sluice/cache
VOLUME ["/sluice/cache", "/sluice/results"]
ENTRYPOINT ["/sluice/sluice"]
CMD ["--help"]
