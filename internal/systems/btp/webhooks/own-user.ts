import { type Logger, messageOf } from '../../../framework/base/index.ts';

import { type KubeClient, ownUserOf } from '../../../framework/kube/index.ts';
import type { BindingWebhookOptions } from './service-binding-webhooks.ts';

/** The user of the client, read once. */
export function readOwnUser(client: KubeClient, log: Logger): BindingWebhookOptions['ownUser'] {
  let known: string | undefined;
  return async (signal) => {
    try {
      known ??= await ownUserOf(client, { signal });
    } catch (error) {
      log.info('cannot read the own user name; users may set the label of replaced bindings', {
        error: messageOf(error),
      });
    }
    return known;
  };
}
