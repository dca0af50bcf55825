import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { boundInstance, decoded, sampleBinding } from './secret.fixture.ts';
import { secretContent } from './secret-content.ts';
import { createSecretRenderer } from './secret-renderer.ts';

const never = new AbortController().signal;
const renderer = createSecretRenderer({ clock: systemClock });
afterAll(() => renderer.close());

const source = (secretTemplate: string, credentials = '{"user":"me","password":"s3cr3t-value"}') => ({
  binding: sampleBinding({ secretTemplate }),
  instance: boundInstance(),
  credentials,
});
const problemOf = (template: string) =>
  renderer.render(source(template), never).then(
    () => undefined,
    (error: { kind: string; message: string }) => ({ kind: error.kind, message: error.message }),
  );

test('a template has the same result in the process as without it', async () => {
  const given = source('stringData: {u: {{ .credentials.user }}, t: {{ .instance.instance_guid }}}');
  const content = await renderer.render(given, never);
  expect(content).toEqual(secretContent(given));
  expect(decoded(content)).toMatchObject({ u: 'me' });
});

test('an error of a template keeps its text and kind, and quotes no credential', async () => {
  const problem = await problemOf('kind: {{ .credentials.password }}');
  expect(problem).toEqual({ kind: 'terminal', message: expect.stringContaining('[redacted]') });
});

test('a template is parsed without credentials: one that is valid needs none, another one is refused', async () => {
  await renderer.parse('stringData: {u: {{ .credentials.user }}}', 'shop', never);
  await expect(renderer.parse('stringData: {u: {{ .credentials.user }', 'shop', never)).rejects.toMatchObject(
    {
      kind: 'terminal',
      message: expect.stringMatching(
        /^failed to create secret from template: the Secret template is invalid: /,
      ),
    },
  );
});

/** As many steps as the engine allows. */
const slow = '{{ range 400000 }}{{ end }}stringData: {a: b}';

test('the event loop goes on while a template is rendered', async () => {
  let ticks = 0;
  const timer = setInterval(() => void ticks++, 1);
  await renderer.render(source('stringData: {a: b}'), never);
  ticks = 0;
  await problemOf(slow);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(0);
});

test('a template that takes too long is ended with its process, and others are rendered', async () => {
  const strict = createSecretRenderer({ clock: systemClock, deadlineMs: 5 });
  try {
    await expect(strict.render(source(slow), never)).rejects.toMatchObject({
      kind: 'transient',
      message:
        'failed to create secret from template: the Secret template is invalid: the template and its YAML need more than 5 ms',
    });
    expect(decoded(await renderer.render(source('stringData: {a: b}'), never))).toEqual({ a: 'b' });
  } finally {
    await strict.close();
  }
});
