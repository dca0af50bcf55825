import type { ExtensionSchemas, Worker } from '../../../../../apis/gardener/kinds.ts';
import type { RenderingInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';
import { withNetRaw } from './gvisor.ts';
import { limitPods } from './pod-limits.ts';

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
