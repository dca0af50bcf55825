import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import type { BenchEnvironment } from '../environment/environment.ts';
import { type Population, selectorOf } from '../environment/population.ts';
import { startProgram, untilObserved } from '../environment/programs.ts';
import { requestNotes, startMeter } from '../environment/traffic.ts';
import { untilNoneIsLeft } from '../environment/watched-objects.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { Measurement } from '../measurement.ts';
import { count, figuresOf } from '../report/figures.ts';
import { prepareAndCreate } from './creation.ts';

/** The last events and usages go after the last mapping. */
const SETTLE_MS = 3000;
const TIMEOUT_MS = 300_000;

export const deletion: Measurement = {
  name: 'deletion',
  title: 'Deletions until all mappings are gone',
  method:
    'The provider runs with default flags and has made all mappings Ready. Then all are deleted at once, 32 at a time; the clock runs from the first request until a list of the bench, twenty times a second, is empty. ' +
    'The plain program knows no deletion. For comparison between machines there is the creation of as many mappings in the same run.',
  run: async (context) => {
    const environment = await context.environment();
    const mappings = context.options.mappings.at(-1) ?? 0;
    const created = await prepareAndCreate(environment, `deleted-${mappings}`, { mappings }, 'provider');
    const deleted = await deleteAll(environment, created.population);
    const name = `${count(mappings)} deletions`;
    return {
      figures: figuresOf(
        `${name}: `,
        [
          ['until all are gone', 's', ({ seconds }) => seconds],
          ['by the time until as many were Ready', '', ({ seconds }) => seconds / created.seconds],
          ['CPU for each', 'ms', ({ cpuMs }) => cpuMs / mappings],
          ['by the CPU of a new mapping', '', ({ cpuMs }) => cpuMs / created.cpuMs],
          ['API server reads for each', '', ({ traffic }) => traffic.reads / mappings],
          ['API server writes for each', '', ({ traffic }) => traffic.writes / mappings],
          ['lists of HANA Cloud for each', '', ({ traffic }) => traffic.hana.lists / mappings],
        ],
        deleted,
      ),
      notes: requestNotes(name, 'for each', deleted.traffic, mappings),
    };
  },
};

async function deleteAll(environment: BenchEnvironment, population: Population) {
  const { clock, print, signal, management } = environment;
  const { names } = population;
  print(`${count(names.length)} deletions`);
  await using provider = await startProgram(environment, 'provider', { populations: [population] });
  // The first observation of each is not measured.
  await untilObserved(environment, provider, names.length);
  await provider.quiet();
  const cost = await startMeter(environment, 'provider', provider);
  const query = new URLSearchParams({ labelSelector: selectorOf([population]) });
  const path = `${collectionPath(kymaInstanceMappings, undefined)}?${query}`;
  const startedAt = clock.monotonic();
  await inParallel(names, (name) =>
    management.send({ method: 'DELETE', path: objectPath(kymaInstanceMappings, { name }) }),
  );
  await provider.during(untilNoneIsLeft(environment, path, TIMEOUT_MS));
  const seconds = (clock.monotonic() - startedAt) / 1000;
  await sleep(clock, SETTLE_MS, signal);
  return { seconds, ...(await cost()) };
}
