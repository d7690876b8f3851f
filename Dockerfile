FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run package && npm install --prefix /opt/rookery ./rookery-*.tgz

FROM node:24-slim
COPY --from=build /opt/rookery /opt/rookery
WORKDIR /opt/rookery
ENV HOST=0.0.0.0
EXPOSE 4000
USER node
CMD ["node", "node_modules/rookery/dist/main.js", "serve"]
