import { messageOf } from '../../../base/errors/errors.ts';
import type { Managed } from '../../resource/managed.ts';
import type { ExternalClient } from '../kind/external-client.ts';
import type { Pass } from './pass.ts';
import { reasonCannotDisconnect } from './words.ts';

/** Connects to the other side, as a user of the resource's provider configuration where the kind has such. */
export async function connect<R extends Managed>(pass: Pass<R>): Promise<ExternalClient<R>> {
  const { kind, copy } = pass;
  const open = () => openClient(pass);
  try {
    if (kind.configUse === undefined) return await open();
    const close = (client: ExternalClient<R>) => disconnect(pass, client);
    return await kind.configUse.connect(copy.object, { open, close }, pass);
  } catch (error) {
    kind.connectFailed?.(copy.object, error, pass.calls.beside(pass.signal));
    throw error;
  }
}

/** A client that comes after nobody waits any more is closed at once. */
async function openClient<R extends Managed>(pass: Pass<R>): Promise<ExternalClient<R>> {
  let awaited = true;
  try {
    return await pass.calls.read('connect', async (ctx) => {
      const client = await pass.kind.connector.connect(pass.copy.object, ctx);
      if (!awaited) await disconnect(pass, client);
      return client;
    });
  } catch (error) {
    awaited = false;
    throw error;
  }
}

/** Ends the connection; that it did not end well is worth an event and changes nothing. */
export async function disconnect<R extends Managed>(pass: Pass<R>, client: ExternalClient<R>): Promise<void> {
  const ctx = pass.calls.beside(pass.signal);
  for (const side of [pass.kind.connector, client]) {
    try {
      await side.disconnect?.(ctx);
    } catch (error) {
      pass.events.record('Warning', reasonCannotDisconnect, messageOf(error));
    }
  }
}
