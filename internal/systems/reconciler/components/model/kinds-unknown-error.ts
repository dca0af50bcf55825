import { ProviderError } from '../../../../framework/base/index.ts';

/** An aggregated API server does not answer: which kinds it serves, and whether there are objects of them, is unknown. */
export class KindsUnknownError extends ProviderError {
  /** @param apiVersions `example.org/v1` */
  constructor(apiVersions: readonly string[]) {
    super(
      'transient',
      `the kinds of ${apiVersions.join(', ')} are unknown: the server of this API does not answer`,
    );
  }
}
