import { describe, expect, test } from '@jest/globals';
import { boundInstance, sampleBinding } from './secret.fixture.ts';
import { secretContent } from './secret-content.ts';
import { answerJob } from './secret-job.ts';

const source = (secretTemplate: string) => ({
  binding: sampleBinding({ secretTemplate }),
  instance: boundInstance(),
  credentials: '{"user":"me"}',
});
const invalid = 'failed to create secret from template: the Secret template is invalid: template: ';

describe('the process of templates', () => {
  test('answers the Secret of a binding', () => {
    const job = source('stringData: {u: {{ .credentials.user }}}');
    expect(answerJob(job)).toEqual({ content: secretContent(job) });
  });

  test('parses a template without rendering it', () => {
    expect(answerJob({ template: 'stringData: {u: {{ .credentials.user }}}' })).toEqual({ parsed: true });
  });

  test.each([
    { what: 'renders', job: source('{{ .x }}'), text: 'shop/orders-db:1:3: ' },
    { what: 'parses', job: { template: '{{ no }}' }, text: 'secretTemplate:1: function "no" not defined' },
  ])('answers why it refuses a template that it $what', ({ job, text }) => {
    const message = expect.stringContaining(invalid + text);
    expect(answerJob(job)).toEqual({ refused: { message, kind: 'terminal' } });
  });

  test('reports a defect of this program as such, not as one of the template', () => {
    expect(() => answerJob({ ...source('a: b'), instance: {} as never })).toThrow(TypeError);
  });
});
