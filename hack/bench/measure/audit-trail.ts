import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEvent, type ControlPlaneAddress, FILES } from '../../control-planes/access.ts';

/** What an API server recorded from some moment on; the moments before are not read again. */
export interface AuditTrail {
  /** This moment, for `since`. */
  mark(): Promise<number>;
  /** One user's requests that were answered after the mark. */
  since(mark: number, username: string): Promise<AuditEvent[]>;
}

const LINE_START = '{"kind":"Event"';

export function auditTrail({ directory }: ControlPlaneAddress): AuditTrail {
  const path = join(directory, FILES.audit);
  return {
    mark: async () => (await stat(path)).size,
    since: async (mark, username) => {
      const lines = (await readFrom(path, mark)).split('\n');
      // The last line is empty, or not yet written to its end; the mark may lie within the first.
      return lines
        .slice(0, -1)
        .filter((line) => line.startsWith(LINE_START))
        .map((line): AuditEvent => JSON.parse(line))
        .filter(({ user }) => user.username === username);
    },
  };
}

async function readFrom(path: string, position: number): Promise<string> {
  const file = await open(path);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.createReadStream({ start: position, autoClose: false }))
      chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await file.close();
  }
}
