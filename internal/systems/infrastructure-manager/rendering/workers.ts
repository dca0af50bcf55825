/** Worker pools: those of the Runtime, as Gardener gets them, and as they replace those of a Shoot. */
import type { ExtensionSchemas, Worker } from '../../../../apis/gardener/kinds.ts';
import { isObject } from '../../../framework/base/index.ts';
import { quoted, RenderingError, type RenderingInput, rawDocument } from './model/extender.ts';
import { parseIpv4Prefix } from './model/ipv4-range.ts';
import { newerVersion } from './model/version.ts';

const WORKERS = 'spec.shoot.provider.workers';
const ADDITIONAL_WORKERS = 'spec.shoot.provider.additionalWorkers';

/** More than Gardener runs nodes for; the time of rendering grows with both. */
const MAX_POOLS = 256;
const MAX_ZONES = 64;

/** The worker pools of the Runtime: the main one, then the additional ones. @throws RenderingError */
export function poolsOf({ spec }: RenderingInput): readonly Worker[] {
  const { workers, additionalWorkers = [] } = spec.shoot.provider;
  if (workers.length !== 1) throw new RenderingError(WORKERS, 'single main worker is required');
  if (additionalWorkers.length >= MAX_POOLS)
    throw new RenderingError(ADDITIONAL_WORKERS, `there may be at most ${MAX_POOLS} worker pools`);
  const pools = [...workers, ...additionalWorkers];
  const names = new Set<string>();
  for (const [index, { name, zones = [] }] of pools.entries()) {
    const field = index === 0 ? `${WORKERS}[0]` : `${ADDITIONAL_WORKERS}[${index - 1}]`;
    if (names.has(name))
      throw new RenderingError(`${field}.name`, `worker pool ${quoted(name)} is duplicated`);
    if (zones.length > MAX_ZONES)
      throw new RenderingError(`${field}.zones`, `there may be at most ${MAX_ZONES} zones`);
    names.add(name);
  }
  return pools;
}

/** The zones of the pools, each once, in the order in which they first occur. */
export const zonesOf = (pools: readonly Worker[]): readonly string[] => [
  ...new Set(pools.flatMap(({ zones = [] }) => zones)),
];

const metadataByToken: ExtensionSchemas['AwsWorkerConfig'] = {
  apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'WorkerConfig',
  instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
};

/** The worker pools of the Runtime as Gardener gets them. Nothing of the Runtime is changed. @throws RenderingError */
export const renderWorkers = (pools: readonly Worker[], input: RenderingInput): Worker[] =>
  limitPods(
    pools.map((pool) => withNetRaw(renderWorker(pool, input))),
    input.spec.shoot.networking.pods,
  );

/** With the image and the limits of evictions of the configuration where it has none, and with IMDSv2 on AWS if that is on. */
function renderWorker(worker: Worker, { spec, configuration }: RenderingInput): Worker {
  const { machineImage, provider } = configuration.converter;
  const { image } = worker.machine;
  const usesTokens = spec.shoot.provider.type === 'aws' && provider.aws.enableIMDSv2;
  return {
    ...worker,
    machine: {
      ...worker.machine,
      image: {
        ...image,
        name: image?.name || machineImage.defaultName,
        version: image?.version || machineImage.defaultVersion,
      },
    },
    machineControllerManager: {
      ...worker.machineControllerManager,
      maxEvictRetries:
        worker.machineControllerManager?.maxEvictRetries ?? provider.worker.defaultMaxEvictRetries,
      machineDrainTimeout:
        worker.machineControllerManager?.machineDrainTimeout ?? provider.worker.defaultMachineDrainTimeout,
    },
    ...(usesTokens ? { providerConfig: rawDocument(metadataByToken) } : {}),
  };
}

/**
 * The rendered pools as they can replace those of the Shoot: in its order, new ones last; with its zones first, of which Gardener
 * lets none go; with its image and its version of Kubernetes if they are newer.
 */
export function patchWorkers(rendered: readonly Worker[], live: readonly Worker[]): Worker[] {
  const positions = new Map(live.map(({ name }, position) => [name, position]));
  const position = ({ name }: Worker) => positions.get(name) ?? live.length;
  return rendered
    .toSorted((a, b) => position(a) - position(b))
    .map((worker) => patchWorker(worker, live[position(worker)]));
}

function patchWorker(worker: Worker, live: Worker | undefined): Worker {
  if (live === undefined) return worker;
  const updateStrategy = worker.updateStrategy ?? live.updateStrategy;
  const zones = joinZones(live.zones, worker.zones);
  const version = worker.kubernetes?.version;
  return {
    ...worker,
    ...(version === undefined
      ? {}
      : { kubernetes: { ...worker.kubernetes, version: newerVersion(version, live.kubernetes?.version) } }),
    machine: patchMachine(worker.machine, live.machine),
    ...(updateStrategy === undefined ? {} : { updateStrategy }),
    ...(zones === undefined ? {} : { zones }),
  };
}

function joinZones(live: readonly string[] | undefined, wanted: readonly string[] | undefined) {
  return live === undefined && wanted === undefined
    ? undefined
    : [...new Set([...(live ?? []), ...(wanted ?? [])])];
}

function patchMachine(machine: Worker['machine'], live: Worker['machine']): Worker['machine'] {
  const { image } = machine;
  if (image?.version === undefined || image.name !== live.image?.name) return machine;
  return { ...machine, image: { ...image, version: newerVersion(image.version, live.image.version) } };
}

/** Addresses of a node: each has a range of 256. */
const MAX_PODS = 254;
const PODS = 'spec.shoot.networking.pods';
const MAX_INT32 = 2 ** 31 - 1;

const podsOf = ({ kubernetes }: Worker): number | undefined => kubernetes?.kubelet?.maxPods;

const withPods = (worker: Worker, maxPods: number): Worker =>
  maxPods === podsOf(worker)
    ? worker
    : {
        ...worker,
        kubernetes: { ...worker.kubernetes, kubelet: { ...worker.kubernetes?.kubelet, maxPods } },
      };

/** The pools, whose limits of pods fit the addresses of a node and, one node of each together, those of the Shoot. */
export function limitPods(workers: readonly Worker[], pods: string): Worker[] {
  const limited = workers.map((worker) => {
    const own = podsOf(worker);
    return own === undefined ? worker : withPods(worker, Math.min(own, MAX_PODS));
  });
  const isLimited = limited.some((worker) => podsOf(worker) !== undefined);
  return pods === '' || !isLimited ? limited : limitSum(limited, addressesOf(pods));
}

/** Cuts the limits of the last pools first, to one at least. */
export function limitSum(workers: readonly Worker[], total: number): Worker[] {
  const limited = workers.filter((worker) => podsOf(worker) !== undefined);
  if (limited.length > total) {
    const pools = `${limited.length} workers with maxPods set (minimum 1 each)`;
    const problem = `maxPods clamping: cannot satisfy maxPods constraint: ${pools} exceed totalIPs ${total}`;
    throw new RenderingError(PODS, problem);
  }
  let excess = limited.reduce((sum, worker) => sum + (podsOf(worker) ?? 0), 0) - total;
  return workers
    .toReversed()
    .map((worker) => {
      const own = podsOf(worker);
      if (own === undefined || excess <= 0) return worker;
      const kept = Math.max(1, own - excess);
      excess -= own - kept;
      return withPods(worker, kept);
    })
    .toReversed();
}

/** Usable addresses of the range. @throws RenderingError */
export function addressesOf(pods: string): number {
  const prefix = parseIpv4Prefix(pods);
  const length = prefix?.prefixLength ?? 0;
  if (prefix === undefined || length < 2)
    throw new RenderingError(PODS, `invalid pods CIDR for maxPods calculation: ${pods.slice(0, 64)}`);
  if (length >= 31) return length === 32 ? 1 : 2;
  return Math.min(2 ** (32 - length) - 2, MAX_INT32);
}

const GVISOR = 'gvisor';
const FLAG = 'net-raw';

const configuration = {
  apiVersion: 'gvisor.runtime.extensions.config.gardener.cloud/v1alpha1',
  kind: 'GVisorConfiguration',
};

/** The pool, whose sandboxes of gVisor may use raw sockets unless it says otherwise: Istio does not start without. */
export function withNetRaw(worker: Worker): Worker {
  const { containerRuntimes } = worker.cri ?? {};
  if (worker.cri === undefined || !containerRuntimes?.some(({ type }) => type === GVISOR)) return worker;
  return {
    ...worker,
    cri: {
      ...worker.cri,
      containerRuntimes: containerRuntimes.map((runtime) =>
        runtime.type === GVISOR
          ? { ...runtime, providerConfig: withFlag(worker.name, runtime.providerConfig) }
          : runtime,
      ),
    },
  };
}

/** Further fields of the document stay. */
function withFlag(pool: string, document: unknown = {}): Record<string, unknown> {
  const { configFlags, ...others } = isObject(document) ? document : {};
  if (!isObject(document) || !(configFlags === undefined || configFlags === null || isObject(configFlags))) {
    const problem = 'unmarshal gVisor providerConfig failed: configFlags is no object';
    throw new RenderingError(`worker pool ${pool}: cri.containerRuntimes.providerConfig`, problem);
  }
  const flags = configFlags ?? {};
  if (Object.hasOwn(flags, FLAG)) return document;
  const isNew = configFlags === undefined || configFlags === null;
  return rawDocument({
    ...(isNew ? configuration : {}),
    ...others,
    configFlags: { ...flags, [FLAG]: 'true' },
  });
}
