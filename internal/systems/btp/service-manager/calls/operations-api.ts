import { ProviderError } from '../../../../framework/base/index.ts';

import { readOperation } from '../objects.ts';
import { parseOperationURL } from '../operation-url.ts';
import type { ServiceManagerClient } from '../service-manager-client.ts';
import { type ApiCalls, bodyOf } from './api-calls.ts';

const paths = {
  service_instances: '/v1/service_instances/{id}/operations/{operationID}',
  service_bindings: '/v1/service_bindings/{id}/operations/{operationID}',
} as const;

export function createOperationsApi(calls: ApiCalls): Pick<ServiceManagerClient, 'getOperation'> {
  return {
    getOperation: async (operationURL, { signal }) => {
      const doing = 'get the operation';
      const path = parseOperationURL(operationURL);
      if (path === undefined)
        throw new ProviderError('transient', `cannot ${doing}: ${quoted(operationURL)} is no operation URL`);
      const { collection, id, operationID } = path;
      const params = { path: { id, operationID } };
      return calls.read(
        {
          doing: `${doing} ${operationURL}`,
          route: `GET ${paths[collection]}`,
          request: (client, request) => client.GET(paths[collection], { ...request, params }),
          statuses: [200],
          parse: (answer) => readOperation(bodyOf(answer), calls.scrub),
        },
        { signal },
      );
    },
  };
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 200));
