import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listenOnLoopback } from '../../../../../internal/framework/base/loopback.fixture.ts';
import { systemClock } from '../../../../../internal/framework/base/time/clock.ts';
import { createChartJobs } from '../../../../../internal/systems/reconciler/components/charts/rendering/chart-jobs.ts';
import { performUnpackJob } from '../../../../../internal/systems/reconciler/components/charts/sources/perform-unpack-job.ts';
import {
  openTestWorkspaces as openWorkspaces,
  type WorkspacesOfTest,
} from '../../../../../internal/systems/reconciler/components/charts/sources/workspaces.fixture.ts';
import { eventually } from '../../../../environment/eventually.ts';
import { type GitRepositoryOfTest, type GitServer, startGitServer } from './git-server.ts';

const chartOf = (text: string) => ({
  'chart/Chart.yaml': 'name: chart',
  'chart/values.yaml': `text: ${text}`,
});
const signal = () => AbortSignal.timeout(30_000);

const jobs = createChartJobs({ clock: systemClock });
const openTestWorkspaces = (options: Parameters<typeof openWorkspaces>[0] = {}) =>
  openWorkspaces({ unpackJobs: jobs, ...options });

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(async () => {
  await jobs.close();
  await server.close();
});

describe('charts in Git repositories', () => {
  let repository: GitRepositoryOfTest;
  const commits: Record<string, string> = {};
  const open = (workspaces: WorkspacesOfTest, version: string, url = repository.url) =>
    workspaces.open({ component: 'some-chart', version, url }, signal());
  const textOf = async ({ chart }: { readonly chart: string }) =>
    await readFile(join(chart, 'values.yaml'), 'utf8');

  beforeAll(async () => {
    repository = await server.repository('charts.git');
    commits.old = await repository.commit('main', chartOf('old'));
    await repository.git('tag', '-a', '1.0.0', '-m', 'annotated');
    await repository.git('tag', 'light');
    commits.pull = await repository.commit('topic', chartOf('pull'));
    await repository.git('update-ref', 'refs/pull/17/head', 'topic');
    commits.release = await repository.commit('release-2', chartOf('release'));
    commits.main = await repository.commit('main', chartOf('main'));
  });

  test.each([
    ['', 'main'],
    ['main', 'main'],
    ['release-2', 'release'],
    ['1.0.0', 'old'],
    ['light', 'old'],
    ['PR-17', 'pull'],
  ])('[R77] version %p is the commit of %s', async (version, expected) => {
    await using workspaces = await openTestWorkspaces();

    const workspace = await open(workspaces, version);

    expect(workspace.revision).toBe(commits[expected]);
    expect(await textOf(workspace)).toBe(`text: ${expected}`);
  });

  test('[R77] a commit is fetched by its 40 digits, also one that is no head', async () => {
    await using workspaces = await openTestWorkspaces();

    expect(await textOf(await open(workspaces, commits.old ?? ''))).toBe('text: old');
  });

  test.each(['nowhere', 'PR-18', 'abcdef0', '0123456789012345678901234567890123456789'])(
    '[R77] %s is refused, since the repository does not have it',
    async (version) => {
      await using workspaces = await openTestWorkspaces();

      await expect(open(workspaces, version)).rejects.toThrow(/has no|did not send|not our ref|cannot read/);
      expect((await readdir(workspaces.storage)).filter((name) => !name.startsWith('.'))).toEqual([]);
    },
  );

  test('[R75] a branch is refreshed; each commit has a folder that stays as it is', async () => {
    await using workspaces = await openTestWorkspaces();
    const moving = await server.repository('moving.git');
    const first = await moving.commit('main', chartOf('one'));
    const before = await open(workspaces, 'main', moving.url);
    // A local change is not what the next commit gives.
    await writeFile(join(before.chart, 'values.yaml'), 'text: changed');

    const second = await moving.commit('main', { ...chartOf('two'), 'chart/more.txt': '' });
    const after = await open(workspaces, 'main', moving.url);

    expect([before.revision, after.revision]).toEqual([first, second]);
    expect(after.folder).toContain(`/${second.slice(0, 8)}-`);
    expect(await textOf(after)).toBe('text: two');
    expect(await textOf(before)).toBe('text: changed');
  });

  test('[R74] a folder whose marker was removed is fetched again', async () => {
    await using workspaces = await openTestWorkspaces();
    const { folder, chart } = await open(workspaces, 'main');
    await rm(join(folder, 'workspace-ready.yaml'));
    await rm(join(chart, 'values.yaml'));

    expect(await textOf(await open(workspaces, 'main'))).toBe('text: main');
    expect(existsSync(join(folder, 'workspace-ready.yaml'))).toBe(true);
  });

  test('[R74] ten parallel fetches of one revision are one', async () => {
    await using workspaces = await openTestWorkspaces();
    const before = server.requests.length;

    const all = await Promise.all(Array.from({ length: 10 }, () => open(workspaces, 'release-2')));

    const posts = server.requests.slice(before).filter(({ line }) => line.startsWith('POST'));
    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1);
    // One for the reference, one for the pack.
    expect(posts).toHaveLength(2);
  });

  test('an unchanged revision is not fetched again', async () => {
    await using workspaces = await openTestWorkspaces();
    await open(workspaces, 'main');
    const before = server.requests.length;

    await open(workspaces, 'main');

    expect(server.requests.slice(before).map(({ line }) => line)).toEqual([
      'GET /charts.git/info/refs',
      'POST /charts.git/git-upload-pack',
    ]);
  });

  test.each([
    ['the token', 'secret', 'git:secret'],
    ['nothing', undefined, undefined],
    ['nothing', '', undefined],
  ])('[R76] %s is sent as basic authentication for the token %p', async (_what, gitToken, expected) => {
    await using workspaces = await openTestWorkspaces({ gitToken, gitTokenHosts: server.url });
    const before = server.requests.length;
    await open(workspaces, 'main');

    const sent = server.requests.slice(before).map(({ authorization }) => authorization);
    const basic = expected && `Basic ${Buffer.from(expected).toString('base64')}`;
    expect(new Set(sent)).toEqual(new Set([basic]));
  });

  test('a commit that was fetched with the password of a URL is not given to a URL without it', async () => {
    await using workspaces = await openTestWorkspaces();
    server.intercept = ({ headers }, response) => {
      if (headers.authorization !== undefined) return false;
      response.writeHead(401).end();
      return true;
    };
    const commit = commits.main ?? '';

    await open(workspaces, commit, repository.url.replace('//', '//user:password@'));

    await expect(open(workspaces, commit)).rejects.toMatchObject({ kind: 'auth' });
    server.intercept = () => false;
  });

  test('a tenant whose pack waits for a process does not hold up another one with the same repository', async () => {
    const ending = new AbortController();
    const begun = Promise.withResolvers<void>();
    await using workspaces = await openTestWorkspaces({
      resolveEveryMs: 60_000,
      unpackJobs: {
        unpack: (job, { tenant }) => {
          if (tenant !== 'hostile') return performUnpackJob(job);
          begun.resolve();
          return new Promise((_, reject) =>
            ending.signal.addEventListener('abort', () => reject(ending.signal.reason)),
          );
        },
      },
    });
    const ask = (tenant: string, until: AbortSignal) =>
      workspaces.open({ component: 'some-chart', version: 'main', url: repository.url, tenant }, until);
    const hostile = ask('hostile', ending.signal).catch(() => undefined);
    await begun.promise;

    await ask('honest', AbortSignal.timeout(20_000));

    ending.abort(new Error('enough'));
    await hostile;
  });

  test('files that are alike, which a server sends as deltas, are as they were committed', async () => {
    await using workspaces = await openTestWorkspaces();
    const alike = await server.repository('alike.git');
    const line = (n: number) => `line ${n}: ${createHash('sha256').update(`${n}`).digest('hex')}\n`;
    const lines = Array.from({ length: 1500 }, (_, n) => line(n));
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`docs/${n}.txt`, lines.with(37 * n, `changed ${n}\n`).join('')]),
    );
    const commit = await alike.commit('main', { ...chartOf('x'), ...files });

    const { folder, revision } = await open(workspaces, 'main', alike.url);

    expect(revision).toBe(commit);
    for (const [path, text] of Object.entries(files))
      expect(await readFile(join(folder, path), 'utf8')).toBe(text);
  });

  test('links are left out; a chart that has one is refused', async () => {
    await using workspaces = await openTestWorkspaces();
    const linked = await server.repository('linked.git');
    await linked.commit('main', { ...chartOf('x'), 'docs/link': '-> /etc/passwd' });
    await linked.commit('in-chart', { ...chartOf('x'), 'chart/templates/link.yaml': '-> /etc/passwd' });

    const { folder } = await open(workspaces, 'main', linked.url);

    expect(existsSync(join(folder, 'docs/link'))).toBe(false);
    await expect(open(workspaces, 'in-chart', linked.url)).rejects.toThrow(
      'chart/templates/link.yaml is a symbolic link or a submodule',
    );
  });

  test.each([
    [{ maxFiles: 2 }, 'more than'],
    [{ maxFileBytes: 4 }, 'larger than 4 bytes'],
    [{ maxUnpackedBytes: 100 }, 'more than 100 bytes, unpacked'],
    [{ maxDownloadBytes: 300 }, 'larger than 300 bytes'],
  ])('a repository beyond %p is refused, and nothing is left', async (limits, message) => {
    await using workspaces = await openTestWorkspaces({ limits });
    await expect(open(workspaces, 'main')).rejects.toThrow(message);
    expect(await readdir(workspaces.storage)).toEqual([]);
  });

  test('a pack that breaks off leaves nothing, and the next attempt succeeds', async () => {
    await using workspaces = await openTestWorkspaces();
    let posts = 0;
    server.intercept = (request, response) => {
      // The first is for the reference.
      if (request.method !== 'POST' || ++posts !== 2) return false;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.write('0008NAK\n0023\u0001PACK\0\0\0\u0002\0\0\0\u0005 some bytes of it', () =>
        response.destroy(),
      );
      return true;
    };

    await expect(open(workspaces, 'main')).rejects.toMatchObject({ kind: 'transient' });
    expect(await readdir(workspaces.storage)).toEqual([]);
    server.intercept = () => false;
    await eventually(async () => expect(await textOf(await open(workspaces, 'main'))).toBe('text: main'));
  });

  test('what a branch names is asked once in a while', async () => {
    await using workspaces = await openTestWorkspaces({ resolveEveryMs: 600_000 });
    await open(workspaces, 'main');
    const before = server.requests.length;

    await open(workspaces, 'main');

    expect(server.requests).toHaveLength(before);
  });

  test('a redirect of the repository is followed; its credentials do not go to another host', async () => {
    await using workspaces = await openTestWorkspaces({ gitToken: 'secret', gitTokenHosts: server.url });
    await using other = await startOther();
    server.intercept = (request, response) => {
      if (!request.url?.startsWith('/moved.git')) return false;
      response.writeHead(301, { location: `${other.url}${request.url.replace('moved', 'charts')}` }).end();
      return true;
    };

    const workspace = await open(workspaces, 'main', `${server.url}/moved.git`);

    expect(workspace.revision).toBe(commits.main);
    expect(other.authorizations).toEqual(new Set([undefined]));
    server.intercept = () => false;
  });

  /** The same repositories under another origin. */
  async function startOther() {
    const authorizations = new Set<string | undefined>();
    const { createServer, request: send } = await import('node:http');
    const proxy = createServer((request, response) => {
      authorizations.add(request.headers.authorization);
      const onward = send(
        `${server.url}${request.url}`,
        { method: request.method, headers: request.headers },
        (got) => {
          response.writeHead(got.statusCode ?? 500, got.headers);
          got.pipe(response);
        },
      );
      request.pipe(onward);
    });
    return { ...(await listenOnLoopback(proxy)), authorizations };
  }
});

describe('versions of Kyma', () => {
  const kyma = {
    'resources/eventing/Chart.yaml': 'name: eventing',
    'resources/serverless/Chart.yaml': 'name: serverless',
    'installation/resources/crds/a.yaml': 'kind: CustomResourceDefinition',
  };

  test('[R74] charts of all components are in one folder, of the default repository', async () => {
    const repository = await server.repository('kyma.git');
    await repository.commit('main', {});
    await repository.commit('2.0', kyma);
    await using workspaces = await openTestWorkspaces({
      kymaRepository: `${repository.url.replace('.git', '')}.git`,
    });

    const [eventing, serverless] = await Promise.all(
      ['eventing', 'serverless'].map((component) =>
        workspaces.open({ component, version: '2.0', url: '' }, signal()),
      ),
    );

    expect(eventing?.folder).toBe(serverless?.folder);
    expect(eventing?.chart).toBe(join(eventing?.folder ?? '', 'resources/eventing'));
    await expect(workspaces.open({ component: 'other', version: '2.0', url: '' }, signal())).rejects.toThrow(
      'version 2.0 has no chart resources/other',
    );
  });

  test('a repository without the folders of Kyma is refused', async () => {
    const repository = await server.repository('no-kyma.git');
    await repository.commit('main', chartOf('x'));
    await using workspaces = await openTestWorkspaces({ kymaRepository: repository.url });

    await expect(workspaces.open({ component: 'a', version: 'main', url: '' }, signal())).rejects.toThrow(
      'version main has no folder resources',
    );
  });
});
