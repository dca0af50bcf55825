import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { listenOnLoopback } from '../../../../../internal/framework/base/loopback.fixture.ts';

const run = promisify(execFile);

/** Git's own server over HTTP, with repositories that tests commit to. */
export interface GitServer {
  readonly url: string;
  /** Requests since the start, as `GET /repo.git/info/refs`. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
  /** Answers requests itself if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  repository(name: string): Promise<GitRepositoryOfTest>;
  close(): Promise<void>;
}

export interface GitRepositoryOfTest {
  readonly url: string;
  /**
   * Replaces the files of the branch (a value `-> target` is a symbolic link), which is the default one until the next commit. Returns
   * the commit.
   */
  commit(branch: string, files: Readonly<Record<string, string>>): Promise<string>;
  git(...args: string[]): Promise<string>;
}

/** Nothing of the machine: neither its configuration nor its credentials. */
const environment = (home: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
});

export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'));
  const env = environment(root);
  const requests: GitServer['requests'] = [];
  const listener = createServer((request, response) => {
    requests.push({
      line: `${request.method} ${request.url?.split('?')[0]}`,
      authorization: request.headers.authorization,
    });
    if (!server.intercept(request, response)) serve(request, response, root, env);
  });
  const http = await listenOnLoopback(listener);
  const { url } = http;
  const server: GitServer = {
    url,
    requests,
    intercept: () => false,
    repository: async (name) => {
      const work = join(root, name);
      await run('git', ['init', '--quiet', '--initial-branch=main', work], { env });
      const git = async (...args: string[]) =>
        (await run('git', ['-C', work, ...args], { env })).stdout.trim();
      await git('config', 'uploadpack.allowReachableSHA1InWant', 'true');
      return {
        url: `${url}/${name}`,
        git,
        commit: async (branch, files) => {
          await git('checkout', '--quiet', '-B', branch);
          await git('rm', '-r', '-q', '--ignore-unmatch', '.');
          for (const [path, content] of Object.entries(files)) {
            await mkdir(dirname(join(work, path)), { recursive: true });
            if (content.startsWith('-> ')) await symlink(content.slice(3), join(work, path));
            else await writeFile(join(work, path), content);
          }
          await git('add', '--all');
          await git('commit', '--quiet', '--allow-empty', '--message', 'change');
          return await git('rev-parse', 'HEAD');
        },
      };
    },
    close: async () => {
      await http.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return server;
}

/** CGI (RFC 3875) with `git http-backend`. */
function serve(
  request: IncomingMessage,
  response: ServerResponse,
  root: string,
  env: Readonly<Record<string, string>>,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: '',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  let started = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (started) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    started = true;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === 'status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}
