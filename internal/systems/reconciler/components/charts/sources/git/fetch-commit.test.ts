import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fetchCommit } from './fetch-commit.ts';
import { FLUSH, type GitHttp, packet } from './git-http.ts';

const commit = 'a'.repeat(40);
const url = 'https://git.example/charts.git';
let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fetch-commit-'));
});
afterEach(() => rm(scratch, { recursive: true }));

/** What a server with these capabilities is asked for. */
async function askedOf(capabilities: string): Promise<string | undefined> {
  let asked: string | undefined;
  const http: GitHttp = {
    request: async ({ body }) => {
      if (body !== undefined) {
        asked = Buffer.from(body).toString();
        throw new Error('enough');
      }
      const references = [
        packet('# service=git-upload-pack\n'),
        FLUSH,
        packet(`${commit} HEAD\0${capabilities}\n`),
      ];
      return {
        headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
        body: (async function* () {
          yield Buffer.concat([...references, FLUSH]);
        })(),
      };
    },
  };
  const options = {
    jobs: undefined as never,
    tenant: 'shop',
    content: join(scratch, 'content'),
    scratch,
    limits: undefined as never,
    signal: new AbortController().signal,
  };
  await expect(fetchCommit({ http, url }, commit, options)).rejects.toThrow('enough');
  return asked;
}

test.each([
  ['', ''],
  ['multi_ack ', 'multi_ack '],
  ['multi_ack multi_ack_detailed ', 'multi_ack_detailed '],
])(
  'a server with the capabilities %j is asked with %j: Azure DevOps sends nothing to a client without',
  async (has, asks) => {
    const asked = await askedOf(`${has}side-band-64k shallow ofs-delta`);
    expect(asked).toContain(
      `want ${commit} ${asks}side-band-64k ofs-delta no-progress agent=git/provider-kyma\n`,
    );
  },
);
