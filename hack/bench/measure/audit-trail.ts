import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEvent, type ControlPlaneAddress, FILES } from '../../control-planes/access/access.ts';

/** What an API server recorded since a mark; older records are not read again. */
export interface AuditTrail {
  /** The current position, for `since`. */
  mark(): Promise<number>;
  /** One user's requests that were completed after the mark. */
  since(mark: number, username: string): Promise<AuditEvent[]>;
}

const LINE_START = '{"kind":"Event"';

export function auditTrail({ directory }: ControlPlaneAddress): AuditTrail {
  const path = join(directory, FILES.audit);
  return {
    mark: async () => (await stat(path)).size,
    since: async (mark, username) => {
      const events: AuditEvent[] = [];
      for await (const line of linesFrom(path, mark)) {
        // The mark may lie within a line. Most lines are others', and need no parsing.
        if (!line.startsWith(LINE_START) || !line.includes(`"username":"${username}"`)) continue;
        const event: AuditEvent = JSON.parse(line);
        if (event.user.username === username) events.push(event);
      }
      return events;
    },
  };
}

/** Complete lines. A record of millions of requests is longer than a string can be. */
async function* linesFrom(path: string, position: number): AsyncGenerator<string> {
  const text = createReadStream(path, { start: position, encoding: 'utf8' });
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
