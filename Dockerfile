FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run package && npm install --prefix /opt/rookery ./rookery-*.tgz

FROM node:24-slim
COPY --from=build /opt/rookery /opt/rookery
RUN install --directory --owner=node --mode=700 /var/lib/rookery
ENV PATH=/opt/rookery/node_modules/.bin:$PATH HOST=0.0.0.0 DATA_DIR=/var/lib/rookery
VOLUME /var/lib/rookery
WORKDIR /var/lib/rookery
EXPOSE 4000
USER node
CMD ["rookery", "serve"]
