import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createDeps, type Deps } from '../../../internal/framework/base/deps.ts';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { createMothership } from '../../../internal/systems/reconciler/mothership/create-mothership.ts';
import type { Database } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { operationOf } from '../../../internal/systems/reconciler/mothership/dispatch/local-invoker.ts';
import {
  createKeyring,
  type Keyring,
} from '../../../internal/systems/reconciler/mothership/encryption/keyring.ts';
import type {
  ClusterDocument,
  Component,
} from '../../../internal/systems/reconciler/mothership/model/cluster.ts';
import type {
  Mothership,
  MothershipOptions,
} from '../../../internal/systems/reconciler/mothership/model/mothership.ts';
import type { Callback } from '../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import { RefusedError } from '../../../internal/systems/reconciler/mothership/model/refused-error.ts';
import {
  defaultSettings,
  type Settings,
} from '../../../internal/systems/reconciler/mothership/model/settings.ts';

/** The key of all test databases. */
export const testKeyring: Keyring = createKeyring(['42'.repeat(32)]);

export interface TestMothership extends Mothership {
  /** Stops all parts and waits for their end. */
  stop(): Promise<void>;
}

export interface TestMothershipOptions extends Partial<Omit<MothershipOptions, 'settings'>> {
  readonly database: Database;
  readonly settings?: Partial<Settings>;
}

/** A mothership of this process, with intervals so long that only notifications drive it, and a server for callbacks. */
export async function startTestMothership({
  database,
  settings = {},
  ...options
}: TestMothershipOptions): Promise<TestMothership> {
  const callbacks = await startCallbackServer();
  const deps: Deps = createDeps(options);
  const mothership = createMothership({
    ...deps,
    keyring: testKeyring,
    ...options,
    database,
    settings: testSettings({ callbackBaseUrl: callbacks.url, ...settings }),
  });
  callbacks.serve(mothership);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const running = mothership.runnables.map((runnable) => runnable.start(stopping.signal, aborting.signal));
  return {
    ...mothership,
    stop: async () => {
      stopping.abort();
      aborting.abort();
      await Promise.all(running);
      await callbacks.close();
    },
  };
}

/** Defaults with long intervals. */
export const testSettings = (settings: Partial<Settings>): Settings => ({
  ...defaultSettings,
  processName: 'test',
  sequence: { preComponents: [['istio']], deleteStrategy: 'system', skippedComponents: [] },
  reconcilers: {},
  callbackBaseUrl: 'http://127.0.0.1:1',
  ...settings,
});

/** A document with components in the namespace kyma-system. */
export function clusterDocument(
  runtimeID: string,
  components: readonly (string | Component)[] = ['istio', 'eventing', 'serverless'],
  changes: Partial<ClusterDocument> = {},
): ClusterDocument {
  return {
    runtimeID,
    runtimeInput: { name: `name of ${runtimeID}`, description: '' },
    metadata: {
      globalAccountID: 'global',
      subAccountID: 'sub',
      serviceID: 'service',
      servicePlanID: 'plan',
      servicePlanName: 'free',
      shootName: 'shoot',
      instanceID: 'instance',
      region: 'eu',
    },
    kymaConfig: {
      version: '2.0.0',
      profile: 'evaluation',
      components: components.map((component) =>
        typeof component === 'string' ? componentOf(component) : component,
      ),
      administrators: ['admin@example.com'],
    },
    kubeconfig: `kubeconfig of ${runtimeID}`,
    ...changes,
  };
}

export const componentOf = (component: string, changes: Partial<Component> = {}): Component => ({
  component,
  namespace: 'kyma-system',
  configuration: [],
  URL: '',
  version: '',
  ...changes,
});

const STATUS_OF = {
  'not-found': 404,
  invalid: 400,
  'missing-token': 403,
  'stale-token': 409,
  final: 409,
  'not-new': 409,
  running: 409,
  mismatch: 400,
  foreign: 403,
  busy: 503,
} as const;

/** Hands the callbacks of component reconcilers to the repository. @param port default: a free one */
export async function startCallbackServer(port = 0) {
  let mothership: Pick<Mothership, 'reconciliations'> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { retryID, processingDuration, ...body } = JSON.parse(await text(request));
      const operation = operationOf({ callbackURL: `http://localhost${request.url}` });
      const callback: Callback = {
        ...operation,
        ...body,
        retryId: retryID,
        processingDurationMs: processingDuration,
      };
      await mothership?.reconciliations.callback(callback);
      response.writeHead(200).end('{}');
    } catch (error) {
      response.writeHead(error instanceof RefusedError ? STATUS_OF[error.refusal] : 500).end('{}');
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  const { url, close } = await listenOnLoopback(server, port);
  return {
    url,
    serve: (served: Pick<Mothership, 'reconciliations'>) => {
      mothership = served;
    },
    close,
  };
}
