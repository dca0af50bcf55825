/** Answers of gateways that are taken for those of an API, and lost answers that are taken for refusals. */
import {
  BTP,
  COMPONENTS,
  type Fault,
  faultsOf,
  INVENTORY,
  insert,
  MANAGER,
  MOTHERSHIP,
  remove,
  removeCall,
  replaceCall,
} from './fault.ts';

const TESTS = 'test/guards/answers.test';

export const ANSWER_FAULTS: readonly Fault[] = [
  ...faultsOf('answers', 'btp', `${BTP}/service-manager`, [
    ['errors.ts', 'classOf', insert("if (status === 404) return 'not-found';"), TESTS],
    ['errors.ts', 'errorOfResponse', replaceCall('isOwn', 'true'), TESTS],
    [
      'calls/api-calls.ts',
      'create',
      insert('return attempt(call, options.signal, writing(options));'),
      TESTS,
    ],
  ]),
  ...faultsOf('answers', 'infrastructure-manager', `${MANAGER}/gardener`, [
    [
      'gardener.ts',
      'refusalOf',
      insert("if ([400, 422].includes(findCause(error, KubeApiError)?.status ?? 0)) return 'refused';"),
      TESTS,
    ],
    ['gardener.ts', 'refusalOf', insert("if (kindOf(error) === 'transient') return 'refused';"), TESTS],
    [
      'gardener.ts',
      'refusalOf',
      insert("if (findCause(error, KubeApiError)?.status === 409) return 'conflict';"),
      TESTS,
    ],
  ]),
  ...faultsOf('answers', 'inventory', `${INVENTORY}/hana-cloud`, [
    ['mappings-api.ts', 'saysNotFound', insert('return true;'), TESTS],
    ['mappings-api.ts', 'deleteMapping', removeCall('assertDone'), TESTS],
    ['mappings-api.ts', 'createMapping', remove('unrepeatable'), TESTS],
  ]),
  ...faultsOf('answers', 'reconciler', 'internal/systems/reconciler', [
    ['client/mothership-client.ts', 'errorOfMothership', remove('isNotFound'), TESTS],
    ['operations/error-form.ts', 'isErrorOfMothership', replaceCall('keys', '[]'), TESTS],
    ['operations/error-form.ts', 'isErrorOfMothership', replaceCall('has', 'false'), TESTS],
  ]),
  ...faultsOf('answers', 'mothership', `${MOTHERSHIP}/dispatch`, [
    ['http-invoker.ts', 'outcomeOf', insert("return { kind: 'accepted' };"), TESTS],
    [
      'http-invoker.ts',
      'outcomeOfError',
      insert("if (!signal.aborted) return { kind: 'unroutable', reason: messageOf(error) };"),
      TESTS,
    ],
    [
      'http-invoker.ts',
      'outcomeOf',
      insert("if (status === 404) return { kind: 'unroutable', reason: '' };"),
      TESTS,
    ],
  ]),
  ...faultsOf('answers', 'components', `${COMPONENTS}/reports`, [
    ['http-callbacks.ts', 'deliveryOf', replaceCall('hasError', 'true'), TESTS],
    ['http-callbacks.ts', 'hasError', replaceCall('isErrorOfMothership', 'true'), TESTS],
    ['http-callbacks.ts', 'deliveryOf', insert("if (status >= 500) return 'refused';"), TESTS],
  ]),
  ...faultsOf('answers', 'http', 'internal/framework/http', [
    ['errors/error-of-response.ts', 'foreignReason', insert('return undefined;'), TESTS],
    ['errors/errors.ts', 'isRetryableUnsent', insert('return isRetryable(error);'), TESTS],
    [
      'errors/errors.ts',
      'errorOfCall',
      insert(
        'if (!signal.aborted) return new NoResponseError(messageOf(error), { code: "timeout", sent: false, aborted: false });',
      ),
      TESTS,
    ],
  ]),
  ...faultsOf('answers', 'kube', 'internal/framework/kube', [
    ['client/request-sender.ts', 'isForeignNotFound', insert('return false;'), TESTS],
    [
      'errors/errors.ts',
      'isConflict',
      insert('return statusOf(error) === 409 && !isAlreadyExists(error);'),
      TESTS,
    ],
    ['errors/errors.ts', 'kindOfRefusal', replaceCall('includes', 'false'), TESTS],
  ]),
];
