import { messageOf } from '../../base/errors/errors.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import type { Managed } from '../resource/managed.ts';
import { reasonCannotDisconnect } from './messages/messages.ts';
import type { Reconciliation } from './reconciliation.ts';

/** Connects to the external API, and records the use of the provider configuration if the kind has one. */
export async function connect<R extends Managed>(
  reconciliation: Reconciliation<R>,
): Promise<ExternalClient<R>> {
  const { kind, copy } = reconciliation;
  const open = () => openClient(reconciliation);
  try {
    if (kind.configUse === undefined) return await open();
    const close = (client: ExternalClient<R>) => disconnect(reconciliation, client);
    return await kind.configUse.connect(copy.object, { open, close }, reconciliation);
  } catch (error) {
    kind.connectFailed?.(copy.object, error, reconciliation.calls.beside(reconciliation.signal));
    throw error;
  }
}

/** Disconnects a client that Connect returns after its timeout. */
async function openClient<R extends Managed>(reconciliation: Reconciliation<R>): Promise<ExternalClient<R>> {
  let awaited = true;
  try {
    return await reconciliation.calls.read('connect', async (ctx) => {
      const client = await reconciliation.kind.connector.connect(reconciliation.copy.object, ctx);
      if (!awaited) await disconnect(reconciliation, client);
      return client;
    });
  } catch (error) {
    awaited = false;
    throw error;
  }
}

/** Disconnects. An error only records an event. */
export async function disconnect<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<void> {
  const ctx = reconciliation.calls.beside(reconciliation.signal);
  for (const side of [reconciliation.kind.connector, client]) {
    try {
      await side.disconnect?.(ctx);
    } catch (error) {
      reconciliation.events.record('Warning', reasonCannotDisconnect, messageOf(error));
    }
  }
}
