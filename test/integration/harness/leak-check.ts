/**
 * An environment with known secrets, so that everything written in it can be searched for them: client secrets and
 * keys, the tokens that HANA Cloud grants, and the credentials of kubeconfigs.
 */

import type { ConfigMap } from '../../../internal/framework/kube/object/object.ts';
import { configMaps } from '../../../internal/framework/kube/object/resource-type.ts';
import { createSecretScanner, type Leak } from '../../secrets/secret-scanner.ts';
import { editKubeconfig } from './access/kubeconfigs.ts';
import { serviceAccountToken } from './access/service-account.ts';
import { uniqueName } from './control-planes/control-planes.ts';
import { etcdKeyOfSecret, everythingWritten } from './everything-written.ts';
import type { Scenario, ScenarioOptions } from './mappings/scenario.ts';
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts';

export interface LeakCheck {
  readonly environment: TestEnvironment;
  /** Of users of the watch's own. */
  readonly kubeconfigs: { readonly key: string; readonly token: string };
  /** The secrets by what they are. */
  readonly secrets: ReadonlyMap<string, string>;
  latestToken(): string;
  /** A scenario whose secrets are known. */
  scenario(kubeconfig?: string, scope?: ScenarioOptions['scope']): Promise<Scenario>;
  /** New credentials for the scenario, the old ones revoked; both are watched. */
  rotate(scenario: Scenario): Promise<Readonly<Record<string, string>>>;
  /** Everything written, with the places of leaked secrets. */
  scan(): Promise<{ leaks: Leak[]; written: ReadonlyMap<string, string> }>;
  /** Puts a copy of every secret into a ConfigMap; returns its place, and how to remove it. */
  plant(plane: 'management' | 'kyma', encode: (secret: string) => string): Promise<Plant>;
}

export interface Plant {
  readonly where: string;
  remove(): Promise<void>;
}

export async function startLeakCheck(): Promise<LeakCheck> {
  const secrets = new Map<string, string>();
  const expected = new Set<string>();
  let latestToken = '';
  const onToken = (token: string) => {
    latestToken = token;
    secrets.set(`token ${secrets.size}`, token);
  };
  // Opaque tokens: a JWT would be masked by its form alone.
  const environment = await startTestEnvironment({ simulator: { onToken, tokenFormat: 'opaque' } });
  const { planes, simulator } = environment;
  const key = await planes.kyma.addUser({ name: uniqueName('scan'), groups: ['system:masters'] });
  const token = await serviceAccountToken(planes.kyma, uniqueName('scan'));
  secrets.set('token of a kubeconfig', token).set('key of a kubeconfig', clientKeyIn(key));
  const kubeconfigs = { key, token: editKubeconfig(key, { credentials: { token } }) };
  const watchCredentials = (
    of: string,
    { fields, x509 }: Awaited<ReturnType<typeof simulator.credentials>>,
  ) => {
    secrets.set(`client secret of ${of}`, JSON.parse(fields.uaa ?? '').clientsecret);
    secrets.set(`client key of ${of}`, JSON.parse(x509.uaa ?? '').key);
    return fields;
  };
  return {
    environment,
    kubeconfigs,
    secrets,
    latestToken: () => latestToken,
    scenario: async (kubeconfig = kubeconfigs.key, scope = 'cluster') => {
      const scenario = await environment.scenario({ kubeconfig, scope });
      const { name, namespace, instanceID, home = 'default' } = scenario;
      watchCredentials(name, await simulator.credentials(instanceID));
      expected.add(etcdKeyOfSecret('kyma', namespace, 'hana-admin-credentials'));
      expected.add(etcdKeyOfSecret('management', home, name));
      return scenario;
    },
    rotate: async ({ name, instanceID }) =>
      watchCredentials(
        `${name}, rotated`,
        await simulator.rotateCredentials(instanceID, { revokeOld: true }),
      ),
    scan: async () => {
      const scanner = createSecretScanner([...secrets].map(([name, value]) => ({ name, value })));
      const leaks: Leak[] = [];
      const written = new Map<string, string>();
      for await (const { where, content } of everythingWritten(environment, expected)) {
        leaks.push(...scanner(where, content));
        written.set(where, content.toString());
      }
      return { leaks, written };
    },
    plant: async (plane, encode) => {
      const at = { name: uniqueName('planted'), namespace: 'default' };
      const copies = [...secrets.values()].map((value, index) => [`copy-${index}`, encode(value)]);
      const data: Record<string, string> = Object.fromEntries(copies);
      await environment[plane].apply<ConfigMap>(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: at,
        data,
      });
      return {
        where: `${plane}:/registry/configmaps/${at.namespace}/${at.name}`,
        remove: () => environment[plane].delete(configMaps, at),
      };
    },
  };
}

function clientKeyIn(kubeconfig: string): string {
  const [, encoded = ''] = /client-key-data: (\S+)/.exec(kubeconfig) ?? [];
  return Buffer.from(encoded, 'base64').toString();
}
