/** Each right of the shipped roles for input objects is needed: without it something fails, which goes on once it is granted. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { exampleRights } from '../../environment/package-permissions.ts';
import { addRestrictedUser, type Grants, watcherRole } from '../harness/access/restricted-user.ts';
import { startBareEnvironment } from '../harness/bare-environment.ts';
import type { SourceName } from '../harness/mappings/scenario.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { runProvider } from '../harness/provider/provider-run.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

const parts = {
  serviceinstances: 'instance',
  servicebindings: 'binding',
  secrets: 'secret',
  configmaps: 'config',
} as const;
type Resource = keyof typeof parts;
const resources = Object.keys(parts) as Resource[];
const sources: readonly SourceName[] = Object.values(parts);

const without = (resource: Resource, verb: string): Grants => ({
  ...watcherRole,
  [resource]: watcherRole[resource].filter((each) => each !== verb),
});

describe('on a Kyma cluster', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await startTestEnvironment();
  });
  afterAll(() => environment.stop());

  async function scenarioWithout(resource: Resource, verb: string) {
    const scenario = await environment.scenario();
    const user = await addRestrictedUser(environment.planes.kyma, scenario.namespace);
    await user.grant(without(resource, verb));
    await scenario.applyKubeconfig({ kubeconfig: user.kubeconfig });
    return { scenario, user };
  }

  test.concurrent.each(resources)(
    'without get of %s a mapping fails, and names the object',
    async (resource) => {
      const { scenario, user } = await scenarioWithout(resource, 'get');
      await scenario.applySources();
      await scenario.create();
      const { message } = await scenario.untilReason('Synced', 'ReconcileError');
      expect(message).toContain(`cannot get resource "${resource}"`);
      expect(scenario.mappings()).toEqual([]);
      await user.grant(watcherRole);
      await scenario.untilReady();
    },
  );

  test.concurrent.each(resources)('without watch of %s a mapping waits by requests', async (resource) => {
    const { scenario, user } = await scenarioWithout(resource, 'watch');
    await scenario.applySources(sources.filter((part) => part !== parts[resource]));
    await scenario.create();
    await scenario.untilReason('Synced', 'Waiting');
    await eventually(async () => {
      const events = await environment.planes.kyma.auditEvents(user.name);
      const refused = events.filter(
        ({ verb, annotations, objectRef }) =>
          verb === 'watch' &&
          objectRef?.resource === resource &&
          annotations?.['authorization.k8s.io/decision'] === 'forbid',
      );
      expect(refused).not.toEqual([]);
    });
    await scenario.apply(parts[resource]);
    await scenario.untilReady();
  });
});

describe('on the management cluster', () => {
  const rights = (['serviceinstances', 'servicebindings'] as const).flatMap((resource) =>
    (['get', 'watch'] as const).map((verb) => ({ resource, verb })),
  );

  test.each(rights)('without $verb of $resource of the example', async ({ resource, verb }) => {
    const environment = await startBareEnvironment();
    const { planes, simulator, selector } = environment;
    const account = await addProviderAccount(planes.management);
    await account.grantCrossplaneRole();
    const { roles } = await exampleRights();
    const all = roles
      .flatMap(({ rules }) => rules)
      .flatMap(({ apiGroups, resources: of, verbs }) =>
        of.map((name) => ({ apiGroups, resources: [name], verbs })),
      );
    await account.grant(
      all.map((rule) =>
        rule.resources.includes(resource)
          ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) }
          : rule,
      ),
    );
    const provider = await runProvider({
      kubeconfig: account.kubeconfig,
      trustedCertificates: [simulator.caCertificate],
      flags: { poll: 600_000, watchLabelSelector: selector },
    });
    try {
      const scenario = await environment.scenario({ sources: 'local' });
      const missing = parts[resource];
      const others = sources.filter((part) => verb === 'get' || part !== missing);
      await scenario.applySources(others);
      await scenario.create();
      await scenario.untilReason('Synced', verb === 'get' ? 'ReconcileError' : 'Waiting');
      await eventually(async () => {
        expect(await account.refusals()).toContain(`${verb} ${resource}.services.cloud.sap.com`);
      });
      await account.grant(all);
      if (verb === 'watch') await scenario.apply(missing);
      await scenario.untilReady();
    } finally {
      await provider.stop();
      await account.revoke();
      await environment.stop();
    }
  });
});
