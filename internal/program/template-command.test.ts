import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolders } from '../framework/base/temporary-folder.fixture.ts';
import type { ProcessLike } from '../framework/module/console/process-like.ts';
import { run } from './program.ts';

const folder = temporaryFolders('render-');

const DATA = `
credentials: { user: me, password: s3cr3t, port: 443, hosts: [a, b] }
instance: { plan: standard, tags: "x,y" }
`;

async function render(template: string, args: readonly string[] = [], data = DATA) {
  const out: string[] = [];
  const err: string[] = [];
  await writeFile(join(folder(), 'secret.tmpl'), template);
  await writeFile(join(folder(), 'data.yaml'), data);
  const host: ProcessLike = {
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };
  const files = ['--template', join(folder(), 'secret.tmpl'), '--data', join(folder(), 'data.yaml')];
  await run(host, ['template', 'render', ...files, ...args]);
  return { out: out.join(''), err: err.join(''), code: host.exitCode };
}

describe('template render', () => {
  test('prints the output', async () => {
    expect(await render('{{ .credentials.user | upper }}@{{ .instance.plan }}\n')).toEqual({
      out: 'ME@standard\n',
      err: '',
      code: 0,
    });
  });

  test('has the types of a binding', async () => {
    const { out } = await render('{{ printf "%T %T %T" .credentials .credentials.port .instance }}');
    expect(out).toBe('map[string]interface {} float64 map[string]string');
  });

  test('JSON is data too', async () => {
    const { out } = await render('{{ .credentials.a }}', [], '{"credentials": {"a": "\\ud83d\\ude00"}}');
    expect(out).toBe('😀');
  });

  test('an unknown key: message of Go, the line with a caret, and a hint', async () => {
    const { err, code } = await render('stringData:\n  u: {{ .credentials.usr }}\n', ['--name', 'shop/db']);
    expect(code).toBe(1);
    expect(err).toBe(
      [
        'provider-kyma: template: shop/db:2:20: executing "shop/db" at <.credentials.usr>: map has no entry for key "usr"',
        '2 |   u: {{ .credentials.usr }}',
        '                        ^',
        'hint: did you mean user?',
        '',
      ].join('\n'),
    );
  });

  test('the caret counts characters, the message bytes', async () => {
    const { err } = await render('é😀{{ .x }}');
    expect(err).toContain('secret.tmpl:1:9:');
    expect(err).toContain(`\n${' '.repeat('1 | é😀{{ '.length)}^\n`);
  });

  test('an unknown function', async () => {
    const { err } = await render('{{ .credentials.user | uper }}');
    expect(err).toContain('template: secret.tmpl:1: function "uper" not defined');
    expect(err).toContain('hint: did you mean upper?');
  });

  test('messages of functions have no data without --show-values', async () => {
    const template = '{{ range .credentials.password }}{{ end }}';
    expect((await render(template)).err).not.toContain('s3cr3t');
    expect((await render(template, ['--show-values'])).err).toContain('s3cr3t');
  });

  test('--explain prints each command with the type of its value', async () => {
    const template = '{{ .credentials.password | b64enc }}{{ range .credentials.hosts }}{{ . }}{{ end }}';
    const { out } = await render(template, ['--explain']);
    expect(out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '))).toEqual([
      'AT | RUNS | COMMAND | TYPE | VALUE',
      '1:3 | .credentials.password | string | ***',
      '| b64enc | string | ***',
      '1:45 | .credentials.hosts | []interface {} | ***',
      '1:69 | 2 | . | string | ***',
      '',
    ]);
    expect((await render(template, ['--explain', '--show-values'])).out).toContain('"s3cr3t"');
  });

  test('--explain prints what was executed before an error', async () => {
    const { out, err } = await render('{{ .credentials.user }}{{ .nothing }}', ['--explain']);
    expect(out).toContain('.credentials.user');
    expect(err).toContain('map has no entry for key "nothing"');
  });

  test('--secret checks the output', async () => {
    const valid = await render('stringData: {a: {{ .credentials.user }}}', ['--secret']);
    expect(valid).toMatchObject({
      code: 0,
      err: 'The Secret is valid: entries a; 0 labels, 0 annotations.\n',
    });
    const invalid = await render('apiVersion: v1\nkind: Pod\n', ['--secret']);
    expect(invalid).toMatchObject({ code: 1, err: expect.stringContaining("needs to be of kind 'Secret'") });
  });

  test.each([
    { reason: 'bytes', template: '{{ "/w==" | b64dec }}', error: 'the output is not valid UTF-8' },
    { reason: 'a long loop', template: '\n{{ range 1000000000 }}{{ end }}', error: 'the template takes ' },
  ])('refuses $reason', async ({ template, error }) => {
    const { err, code } = await render(template);
    expect(err).toContain(error);
    expect(code).toBe(1);
  });

  test.each([
    { reason: 'a list', data: '[1]', error: 'it is not a mapping with credentials and instance' },
    { reason: 'an instance of numbers', data: 'instance: {plan: 1}', error: 'instance.plan is not a text' },
    { reason: 'no YAML', data: 'a: "s3cr3t', error: 'it is not valid YAML' },
    { reason: 'an unknown alias', data: 'a: *s3cr3t', error: 'alias' },
    { reason: 'deep nesting', data: '['.repeat(10_000), error: 'it has too many levels' },
  ])('data that is $reason is refused without a quotation', async ({ data, error }) => {
    const { err, code } = await render('x', [], data);
    expect(err).toContain(error);
    expect(err).not.toContain('s3cr3t');
    expect(code).toBe(1);
  });
});
