/**
 * Replaces modules in the bundle by smaller ones: code that is never used costs a process memory and each start time. Tests of
 * the sources run with the whole modules, those of the bundle with these.
 */
import { join } from 'node:path';
import type { OnResolveArgs, Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/**
 * An import of `node:http` as an ES module reads all its exports, one of which is WebSocket: Node then loads a whole undici of
 * its own, 45 ms of CPU time and 13 MB of memory. What a program reads of the module by its name costs nothing.
 */
const httpWithoutWebSocket = replaced(
  'http-without-web-socket',
  /^(node:)?http$/,
  ({ kind }) => kind === 'import-statement' || kind === 'dynamic-import',
  "module.exports = process.getBuiltinModule('node:http');",
);

/** Without fetch, caches, mocks and web sockets. Its own entry adds the methods of `api` to each dispatcher, too. */
const dispatchersOfUndici = replaced(
  'dispatchers-of-undici',
  /^undici$/,
  () => true,
  `
  const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
  Object.assign(Dispatcher.prototype, require('undici/lib/api/index.js'));
  module.exports = {
    Agent: require('undici/lib/dispatcher/agent.js'),
    Pool: require('undici/lib/dispatcher/pool.js'),
    ProxyAgent: require('undici/lib/dispatcher/proxy-agent.js'),
    buildConnector: require('undici/lib/core/connect.js'),
  };`,
);

/** No connection uses HTTP/2 (decision 4): undici reads the names of its headers only. */
const undiciWithoutHttp2 = replaced(
  'undici-without-http2',
  /^node:http2$/,
  ({ importer }) => importer.includes('/node_modules/undici/'),
  'module.exports = { constants: {} };',
);

/**
 * KubeConfig of client-node can also make clients, for which it imports the models of every API: 1 MB of code, which
 * costs a process 3 MB of memory even if it never runs. Such clients are not used here.
 */
const withoutModels: Plugin = {
  name: 'without-models',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer, path }) =>
      /client-node\/dist\/config\.js$/.test(importer) ? { path, namespace: 'without-models' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'without-models' }, () => ({
      contents: 'export const createConfiguration = undefined; export const ServerConfiguration = undefined;',
    }));
  },
};

/**
 * gRPC reads .proto files for debug services of its server. The change log is a client, and reads none: 0.3 MB of code.
 */
const withoutProtoLoader: Plugin = {
  name: 'without-proto-loader',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({
      path,
      namespace: 'without-proto-loader',
    }));
    onLoad({ filter: /.*/, namespace: 'without-proto-loader' }, () => ({
      contents: 'export const loadSync = undefined;',
    }));
  },
};

export const lighterModules: Plugin[] = [
  httpWithoutWebSocket,
  dispatchersOfUndici,
  undiciWithoutHttp2,
  withoutModels,
  withoutProtoLoader,
];

/** @param applies to which imports of the path */
function replaced(
  name: string,
  path: RegExp,
  applies: (args: OnResolveArgs) => boolean,
  contents: string,
): Plugin {
  return {
    name,
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: path }, (args) =>
        applies(args) ? { path: args.path, namespace: name } : undefined,
      );
      onLoad({ filter: /.*/, namespace: name }, () => ({ contents, resolveDir: ROOT }));
    },
  };
}
