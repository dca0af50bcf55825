import { findCause, messageOf } from '../../../framework/base/index.ts';

import type { Check } from '../../../framework/module/diagnosis.ts';
import { ParametersError } from '../parameters/merge-parameters.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import type { DiagnosisOptions } from './checks.ts';
import { btpRemedies } from './remedies.ts';

/** Whether the parameters can be built: each Secret of `spec.parametersFrom` with its key. */
export async function parametersCheck(options: DiagnosisOptions, object: ServiceResource): Promise<Check> {
  const name = 'parameters';
  const cluster = options.client.clusterName;
  try {
    const { secrets } = await readParameters(object, options);
    const detail = secrets.length === 0 ? 'of no Secret' : `of ${secrets.length} Secrets`;
    return { name, status: 'ok', cluster, detail };
  } catch (error) {
    const source = findCause(error, ParametersError)?.source;
    const { namespace } = object.metadata;
    return {
      name,
      status: 'failed',
      cluster,
      detail: messageOf(error),
      ...(source === undefined
        ? btpRemedies.parameters(object)
        : { object: `Secret ${namespace}/${source.name}`, ...btpRemedies.parametersFrom(object, source) }),
    };
  }
}
