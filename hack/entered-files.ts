/**
 * The files of `internal` whose functions a path of one object enters, from its event until its end: what a reader has to know. The API
 * servers and Service Manager are those of the unit tests, so that connections are not among them; the database is a real one.
 *
 * `node_modules/.bin/node hack/entered-files.ts [--list]`
 */
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

// Parts of the tests use `expect`, which Jest hands out within its tests alone.
registerHooks({
  resolve: (name, context, next) => next(name === '@jest/globals' ? 'expect' : name, context),
});

const { startGardenerClusterHarness } = await import(
  '../internal/systems/infrastructure-manager/gardenercluster/fixtures/gardener-cluster-harness.fixture.ts'
);
const { runtimeOf } = await import(
  '../internal/systems/infrastructure-manager/runtime/fixtures/runtime.fixture.ts'
);
const { startRuntimeHarness } = await import(
  '../internal/systems/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts'
);
const { startBindingHarness } = await import(
  '../internal/systems/btp/servicebinding/fixtures/binding-harness.fixture.ts'
);
const { eventually } = await import('../test/environment/eventually.ts');
const { startComponentReconciler } = await import('../test/environment/mothership/component-reconciler.ts');
const { clusterDocument, startTestMothership } = await import(
  '../test/environment/mothership/test-mothership.ts'
);
const { startTestDatabases } = await import('../test/environment/postgres/test-databases.ts');
const { startSimulatedGardener } = await import('../test/simulators/gardener/simulated-gardener.ts');

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Parts of tests. */
const OF_TESTS = /\.fixture\.ts$|\/fakes\/|fake-clock\.ts$/;

const DAY_MS = 86_400_000;

const runtimes = await startRuntimeHarness(startSimulatedGardener);
await report('a new Runtime until it is Ready', async () => {
  await runtimes.create(runtimeOf());
  await runtimes.wait(10_000);
  expectState(runtimes.stored()?.status?.state, 'Ready');
});
await report('a deleted Runtime until it is gone', async () => {
  await runtimes.delete();
  await runtimes.wait(600_000);
  expectState(runtimes.stored()?.metadata.name, undefined);
});
await runtimes.stop();

const clusters = await startGardenerClusterHarness((clock) => startSimulatedGardener({ clock }));
await clusters.create();
const lastSync = () => clusters.secret()?.metadata.annotations?.['operator.kyma-project.io/last-sync'];
const before = lastSync();
await report('the rotation of a kubeconfig', async () => {
  await clusters.wait(DAY_MS);
  expectState(before !== undefined && lastSync() !== before, true);
});
await clusters.stop();

const bindings = await startBindingHarness();
await bindings.putInstance();
await report('a new ServiceBinding until its Secret is there', async () => {
  await bindings.create();
  await bindings.wait(10_000);
  expectState(bindings.secret() === undefined, false);
});
await report('a deleted ServiceBinding until it is gone', async () => {
  await bindings.delete();
  await bindings.wait(60_000);
  expectState(bindings.secret(), undefined);
});
await bindings.stop();

const databases = await startTestDatabases();
const database = await databases.open();
const reconciler = await startComponentReconciler();
const settings = { reconcilers: { base: reconciler.url } };
const mothership = await startTestMothership({ database, settings });
await report('a registration, its tasks and their callbacks until the cluster is ready', async () => {
  await mothership.inventory.upsert(clusterDocument('one'), 1);
  await eventually(async () =>
    expectState((await mothership.inventory.latest('one')).status.status, 'ready'),
  );
});
await mothership.stop();
await reconciler.close();
await database.close();
await databases.close();

async function report(path: string, follow: () => Promise<void>): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await follow();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const files = result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(isEntered))
    .map(({ url }) => relative(ROOT, fileURLToPath(url)).split(sep).join('/'))
    .filter((file) => file.startsWith('internal/') && !OF_TESTS.test(file))
    .sort();
  if (process.argv.includes('--list')) console.log(files.join('\n'));
  const ofSystem = files.filter((file) => file.startsWith('internal/systems/'));
  console.log(`${path}: ${files.length} files, ${ofSystem.length} of them of the system`);
}

/** The first range of a script is its top level, without a name. */
function isEntered({ functionName, ranges }: { functionName: string; ranges: { count: number }[] }): boolean {
  return functionName !== '' && (ranges[0]?.count ?? 0) > 0;
}

function expectState(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`found ${found}, not ${wanted}`);
}
