import type { Deps } from '../../base/deps.ts';
import type { Connections } from '../transport/connections.ts';

/** Connections with a client certificate, shared by the sessions of the same credentials. */
export interface SharedConnections {
  /** @param open opens them, if no session has used them recently */
  use(credentialsID: string, open: () => Connections): UsedConnections;
  /** Those that are open; undefined if there are none. */
  reuse(credentialsID: string): UsedConnections | undefined;
  /** Closes all. */
  close(): Promise<void>;
}

export interface UsedConnections {
  readonly connections: Connections;
  release(): Promise<void>;
}

export interface SharedConnectionsOptions extends Pick<Deps, 'clock'> {
  /** How long they stay open without a session, in ms. 0: the last session closes them. */
  readonly idleMs: number;
}

interface Entry {
  readonly connections: Connections;
  sessions: number;
  cancelClosing: () => void;
}

export function createSharedConnections({ clock, idleMs }: SharedConnectionsOptions): SharedConnections {
  const entries = new Map<string, Entry>();
  const remove = (credentialsID: string, { connections }: Entry) => {
    entries.delete(credentialsID);
    return connections.close();
  };
  const acquire = (credentialsID: string, open: () => Connections): Entry => {
    const known = entries.get(credentialsID);
    if (known !== undefined) return known;
    const entry = { connections: open(), sessions: 0, cancelClosing: () => undefined };
    entries.set(credentialsID, entry);
    return entry;
  };
  const use = (credentialsID: string, entry: Entry): UsedConnections => {
    entry.sessions++;
    entry.cancelClosing();
    let released = false;
    return {
      connections: entry.connections,
      release: async () => {
        if (released) return;
        released = true;
        entry.sessions--;
        if (entry.sessions > 0 || entries.get(credentialsID) !== entry) return;
        if (idleMs === 0) await remove(credentialsID, entry);
        else entry.cancelClosing = clock.after(idleMs, () => void remove(credentialsID, entry));
      },
    };
  };
  return {
    use: (credentialsID, open) => use(credentialsID, acquire(credentialsID, open)),
    reuse: (credentialsID) => {
      const known = entries.get(credentialsID);
      return known && use(credentialsID, known);
    },
    close: async () => {
      const closing = [...entries].map(([credentialsID, entry]) => {
        entry.cancelClosing();
        return remove(credentialsID, entry);
      });
      await Promise.all(closing);
    },
  };
}
