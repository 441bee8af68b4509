# One image, four commands: `api`, `worker`, `standalone`, `migrate`. Sandboxes of provider `local` run inside the worker's container,
# as the user `runyard`, so their tools have to be in this image.
#
# No script of a package runs while packages are installed; `npm run generate` carries out the one that is needed. To build from
# an image that cannot change, give its digest: --build-arg NODE=node:24-slim@sha256:…
ARG NODE=node:24-slim
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# `--omit=dev` would keep the Prisma CLI, because its client names it as an optional peer: a further 250 MB.
RUN npm run build && npm pkg delete devDependencies && npm prune --ignore-scripts

FROM ${NODE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends bash ca-certificates git python3 tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1001 --create-home --shell /bin/bash runyard \
  && mkdir /data && chown runyard:runyard /data
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./package.json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY docker-entrypoint.sh /usr/local/bin/
USER 1001
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps RUNYARD_HOME=/data \
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED=true
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["tini", "--", "docker-entrypoint.sh"]
CMD ["standalone"]
