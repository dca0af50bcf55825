/**
 * Replaces modules in the bundle by smaller ones: code that is never used costs a process memory and each start time. Tests of
 * the sources run with the whole modules, those of the bundle with these.
 */
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import type { OnResolveArgs, Plugin } from 'esbuild';

/**
 * An import of a module of Node as an ES module reads all its exports. One of `node:http` is WebSocket: Node then loads a whole
 * undici of its own, 45 ms of CPU time and 13 MB of memory; one of `node:util` computes differences. What a program reads of
 * a module by name costs only that.
 */
const modulesOfNode: Plugin = {
  name: 'modules-of-node',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ kind, path }) => {
      if (!isBuiltin(path)) return undefined;
      if (kind === 'import-statement') return { path, namespace: 'modules-of-node' };
      return kind === 'dynamic-import' ? { path, namespace: 'modules-of-node-on-demand' } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'modules-of-node' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
    // Of a CommonJS module in a file of its own, `import()` would give the default export only.
    onLoad({ filter: /.*/, namespace: 'modules-of-node-on-demand' }, ({ path }) => {
      const names = namesOf(path);
      // With names of their own: the bundle begins with imports that esbuild does not know.
      return {
        contents: `
          const found = process.getBuiltinModule(${JSON.stringify(path)});
          export default found;
          const { ${names.map((name) => `${name}: of_node_${name}`).join(', ')} } = found;
          export { ${names.map((name) => `of_node_${name} as ${name}`).join(', ')} };`,
      };
    });
  },
};

/** The exports of a module of Node, without those that Node loads when they are read. */
function namesOf(path: string): string[] {
  const properties = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path));
  return Object.entries(properties).flatMap(([name, { get }]) =>
    get === undefined && name !== 'default' && /^[\w$]+$/.test(name) ? [name] : [],
  );
}

/** Which files use `Headers`, `Response` and `FormData` as `light-fetch.ts` has them. Servers and webhooks have those of Node. */
const lightFetch: Plugin = {
  name: 'light-fetch',
  setup: ({ onLoad }) => {
    const users =
      /\/(node_modules\/(openapi-fetch|oauth4webapi)\/.*\.m?js|internal\/framework\/http\/.*\.ts)$/;
    onLoad({ filter: users, namespace: 'file' }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      const names = ['Headers', 'Response', 'FormData'].filter((name) =>
        new RegExp(`\\b${name}\\b`).test(contents),
      );
      if (names.length === 0) return undefined;
      const from = JSON.stringify(join(import.meta.dirname, 'light-fetch.ts'));
      return {
        contents: `import { ${names.join(', ')} } from ${from};\n${contents}`,
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
};

/**
 * Without fetch, caches, mocks and web sockets. Its own entry adds the methods of `api` to each dispatcher, too. It is an ES module, so
 * that a build fails if the sources import something else.
 */
const dispatchersOfUndici = (isReplaced: (importer: string) => boolean): Plugin =>
  replaced(
    'dispatchers-of-undici',
    /^undici$/,
    ({ importer }) => isReplaced(importer),
    `
  import api from 'undici/lib/api/index.js';
  import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
  Object.assign(Dispatcher.prototype, api);
  export { default as Agent } from 'undici/lib/dispatcher/agent.js';
  export { default as Pool } from 'undici/lib/dispatcher/pool.js';
  export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
  export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  );

/** Another parser of HTTP, which undici only uses if UNDICI_USE_MILO says so: 0.2 MB of code. */
const parserOfUndici = { './parser-h1.js': 'exports.getMiloEnabled = () => false;' };

/**
 * Parts of undici that no request here uses, with which a start takes 10 ms longer: HTTP/2 (decision 4), proxies that speak SOCKS, which
 * are refused before, and bodies that are no text.
 */
const unusedOfUndici = {
  './client-h2.js': "module.exports = () => { throw new Error('HTTP/2 is not part of this program'); };",
  './socks5-proxy-agent':
    "module.exports = class { constructor() { throw new Error('SOCKS is not part of this program'); } };",
  '../web/fetch/body.js':
    "exports.extractBody = () => { throw new Error('bodies of this program are texts'); };",
  '../web/fetch/formdata': '',
  '../web/webidl': 'exports.webidl = { is: { FormData: () => false } };',
};

/** @param parts as its files import them, and what they are instead */
const undiciWithout = (name: string, parts: Readonly<Record<string, string>>): Plugin => ({
  name,
  setup: ({ onResolve, onLoad }) => {
    const ofUndici = /\/node_modules\/undici\/lib\/(core|dispatcher)\//;
    onResolve({ filter: /^\.\.?\// }, ({ path, importer }) =>
      Object.hasOwn(parts, path) && ofUndici.test(importer) ? { path, namespace: name } : undefined,
    );
    onLoad({ filter: /.*/, namespace: name }, ({ path }) => ({ contents: parts[path] ?? '' }));
  },
});

/** pino can write from a thread, for which it loads Node's threads. */
const logWithoutThreads = replaced(
  'log-without-threads',
  /^thread-stream$/,
  ({ importer }) => importer.includes('/node_modules/pino/'),
  'module.exports = undefined;',
);

/** prom-client asks OpenTelemetry for the current span of exemplars, which are not used here. */
const metricsWithoutExemplars = replaced(
  'metrics-without-exemplars',
  /^@opentelemetry\/api$/,
  ({ importer }) => importer.includes('/node_modules/prom-client/'),
  'module.exports = {};',
);

/** No connection uses HTTP/2 (decision 4): undici reads the names of its headers only. */
const undiciWithoutHttp2 = replaced(
  'undici-without-http2',
  /^node:http2$/,
  ({ importer }) => importer.includes('/node_modules/undici/'),
  'module.exports = { constants: {} };',
);

/** Only its kubeconfig loading is used; the package's entry has side effects and would add 16 MB of code. */
const kubeconfigAlone = (isReplaced: (importer: string) => boolean): Plugin => ({
  name: 'kubeconfig-alone',
  setup: ({ onResolve, resolve }) => {
    onResolve(
      { filter: /^@kubernetes\/client-node$/ },
      async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === kubeconfigAlone || !isReplaced(importer)) return undefined;
        const entry = await resolve(path, { importer, resolveDir, kind, pluginData: kubeconfigAlone });
        return entry.errors.length > 0 ? entry : { path: join(dirname(entry.path), 'config.js') };
      },
    );
  },
});

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

const everywhere: Plugin[] = [
  modulesOfNode,
  undiciWithoutHttp2,
  undiciWithout('undici-without-milo', parserOfUndici),
  logWithoutThreads,
  metricsWithoutExemplars,
  withoutModels,
  withoutProtoLoader,
];

/** For this repository. */
export const lighterModules: Plugin[] = [
  ...everywhere,
  lightFetch,
  undiciWithout('undici-without-unused', unusedOfUndici),
  dispatchersOfUndici(() => true),
  kubeconfigAlone(() => true),
];

/**
 * For a provider on the packed library. Its own files get whole modules, and the classes of Node's fetch.
 *
 * @param isOwn says which files are the author's
 */
export const lighterModulesBelow = (isOwn: (file: string) => boolean): Plugin[] => [
  ...everywhere,
  dispatchersOfUndici((importer) => !isOwn(importer)),
  kubeconfigAlone((importer) => !isOwn(importer)),
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
        applies(args)
          ? { path: args.path, namespace: name, pluginData: { resolveDir: args.resolveDir } }
          : undefined,
      );
      onLoad({ filter: /.*/, namespace: name }, ({ pluginData: { resolveDir } }) => ({
        contents,
        resolveDir,
      }));
    },
  };
}
