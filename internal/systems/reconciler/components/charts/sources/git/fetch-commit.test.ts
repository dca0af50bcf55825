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

const GITHUB =
  'multi_ack thin-pack side-band side-band-64k ofs-delta shallow no-progress multi_ack_detailed agent=git/github';
const AZURE_DEVOPS = 'multi_ack thin-pack side-band side-band-64k no-progress shallow ofs-delta';
const CODE_COMMIT = 'multi_ack_detailed shallow side-band-64k thin-pack allow-tip-sha1-in-want';

test.each([
  ['GitHub', GITHUB, 'side-band-64k multi_ack_detailed ofs-delta no-progress agent=git/provider-kyma'],
  [
    'Azure DevOps, which takes no client without multi_ack',
    AZURE_DEVOPS,
    'side-band-64k multi_ack ofs-delta no-progress',
  ],
  ['AWS CodeCommit', CODE_COMMIT, 'side-band-64k multi_ack_detailed'],
  ['an old server', 'side-band-64k shallow', 'side-band-64k'],
])('a server is asked with capabilities that it has: %s', async (_, has, asks) => {
  expect(await askedOf(has)).toContain(`want ${commit} ${asks}\n`);
});
