/**
 * The files of `internal` whose functions a new Runtime enters, from its event until it is Ready: what a reader has to know. The API
 * servers are those of the unit tests, so that connections are not among them.
 *
 * `node_modules/.bin/node hack/entered-files.ts [--list]`
 */
import { Session } from 'node:inspector/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runtimeOf } from '../internal/systems/infrastructure-manager/runtime/fixtures/runtime.fixture.ts';
import { startRuntimeHarness } from '../internal/systems/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts';
import { startSimulatedGardener } from '../test/simulators/gardener/simulated-gardener.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Parts of tests. */
const OF_TESTS = /\.fixture\.ts$|\/fakes\/|fake-clock\.ts$/;

const harness = await startRuntimeHarness(startSimulatedGardener);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await harness.create(runtimeOf());
await harness.wait(10_000);
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();
const { state } = harness.stored()?.status ?? {};
await harness.stop();
if (state !== 'Ready') throw new Error(`the Runtime is ${state}`);

const files = result
  .filter(({ url, functions }) => url.startsWith('file:') && functions.some(isEntered))
  .map(({ url }) => relative(ROOT, fileURLToPath(url)).split(sep).join('/'))
  .filter((path) => path.startsWith('internal/') && !OF_TESTS.test(path))
  .sort();
const ofModule = files.filter((path) => path.startsWith('internal/systems/infrastructure-manager/'));
if (process.argv.includes('--list')) console.log(files.join('\n'));
console.log(`${files.length} files, ${ofModule.length} of them of the module`);

/** The first range of a script is its top level, without a name. */
function isEntered({ functionName, ranges }: { functionName: string; ranges: { count: number }[] }): boolean {
  return functionName !== '' && (ranges[0]?.count ?? 0) > 0;
}
