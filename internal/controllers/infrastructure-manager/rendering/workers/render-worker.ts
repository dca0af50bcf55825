import type { ExtensionSchemas, Worker } from '../../../../../apis/gardener/kinds.ts';
import type { RenderingInput } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';

const metadataByToken: ExtensionSchemas['AwsWorkerConfig'] = {
  apiVersion: 'aws.provider.extensions.gardener.cloud/v1alpha1',
  kind: 'WorkerConfig',
  instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
};

/** A worker pool of the Runtime with the image of the configuration where it names none, and with IMDSv2 on AWS if that is on. */
export function renderWorker(worker: Worker, { spec, configuration }: RenderingInput): Worker {
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
    ...(usesTokens ? { providerConfig: rawDocument(metadataByToken) } : {}),
  };
}
