import type { Worker } from '../../../../../apis/gardener/kinds.ts';
import { isObject } from '../../../../framework/base/json/json-field.ts';
import { rawDocument } from '../model/raw-document.ts';
import { RenderingError } from '../model/rendering-error.ts';

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
