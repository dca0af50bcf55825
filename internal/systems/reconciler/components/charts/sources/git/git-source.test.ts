import { expect, test } from '@jest/globals';
import { createGitToken } from './git-source.ts';

const options = { token: 'secret', defaultOrigin: 'https://github.com' };
const sent = (url: string, hosts?: string) => createGitToken({ ...options, hosts }).for(new URL(url));

test.each<[hosts: string | undefined, url: string, isSent: boolean]>([
  [undefined, 'https://github.com/kyma-project/kyma', true],
  ['', 'https://github.com/a.git', true],
  [undefined, 'https://git.example.org/a.git', false],
  ['git.example.org', 'https://git.example.org/a.git', true],
  ['git.example.org', 'https://github.com/a.git', false],
  ['git.example.org', 'https://git.example.org.evil.example/a.git', false],
  ['git.example.org', 'https://git.example.org:8443/a.git', false],
  ['git.example.org', 'http://git.example.org/a.git', false],
  ['github.com, GIT.example.org:8443 ,', 'https://git.example.org:8443/a.git', true],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/a.git', true],
])('with the hosts %p, %s gets the token: %p', (hosts, url, isSent) => {
  expect(sent(url, hosts)).toBe(isSent ? 'secret' : undefined);
});

test.each(['https://github.com/org', 'git@github.com', 'ftp://github.com', 'a b'])(
  'the host %p is refused',
  (hosts) => {
    expect(() => sent('https://github.com/', hosts)).toThrow('cannot use GIT_CLONE_TOKEN_HOSTS');
  },
);

test.each(['', ' \n', undefined])('the token %p is none', (token) => {
  expect(createGitToken({ ...options, token }).for(new URL('https://github.com/'))).toBeUndefined();
});

test('a line break at the end is no part of the token', () => {
  expect(createGitToken({ ...options, token: 'secret\n' }).for(new URL('https://github.com/'))).toBe(
    'secret',
  );
});
