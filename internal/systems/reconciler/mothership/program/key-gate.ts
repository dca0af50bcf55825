import { type Deps, messageOf, sleep } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { Store } from '../database/store.ts';
import { KEY_FILE_INTERVAL_MS } from '../encryption/key-file.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { keysInUse, missingKeys } from '../encryption/reencrypt.ts';

export interface KeyGateOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly store: Pick<Store, 'queries'>;
  readonly keyring: Pick<Keyring, 'ids'>;
}

/** Holds back what works on the database until the key file can decrypt it. */
export interface KeyGate {
  /** Why the process is not ready; undefined when it has all keys. */
  problem(): string | undefined;
  /** The part, which starts when the keys are there. */
  behind(runnable: Runnable): Runnable;
}

/**
 * Compares the keys of the file with those that the database is encrypted with. While one is missing, an error in the log and the
 * probe name it, and nothing runs: each operation would fail and be tried again with growing delays. The file is read again until it
 * has all of them.
 */
export async function createKeyGate({ clock, log, store, keyring }: KeyGateOptions): Promise<KeyGate> {
  const check = async () => missingKeys(await keysInUse(store), keyring.ids);
  let missing = await check();
  if (missing !== '') log.error('cannot decrypt the database: nothing is reconciled', { error: missing });
  const awaitKeys = async (signal: AbortSignal) => {
    while (missing !== '') {
      await sleep(clock, KEY_FILE_INTERVAL_MS, signal);
      try {
        missing = await check();
      } catch (error) {
        log.info('cannot compare the encryption keys with the database', { error: messageOf(error) });
      }
    }
  };
  let opening: Promise<void> | undefined;
  return {
    problem: () => (missing === '' ? undefined : missing),
    behind: (runnable) => ({
      ...runnable,
      start: async (signal, abort) => {
        if (missing !== '') {
          opening ??= awaitKeys(signal).then(() => log.info('the key file has all keys of the database'));
          await opening.catch(() => undefined);
          if (signal.aborted) return;
        }
        await runnable.start(signal, abort);
      },
    }),
  };
}
