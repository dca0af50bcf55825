import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { collectOutputs } from '../../hack/codegen/outputs.ts';
import { authorProject } from '../../hack/codegen/project.ts';
import { ALERTS_PAGE, authorMonitoringFiles } from '../../hack/monitoring/author-monitoring.ts';
import { alertsOf, monitoringIn, ownMonitoring, withGrafanaVariables } from './monitoring-files.ts';
import { readExpression } from './promql.ts';

const runbooks = new URL('../../docs/runbooks/', import.meta.url);
const TARGET_LABELS = ['job', 'instance'];

test('an expression is read by the grammar of Prometheus', () => {
  const { demands, grouping } = readExpression(
    'sum by (job, le) (rate(a_bucket{code!~"2..", result="error"}[5m]) and on (job) c) / max(b) > 0',
  );
  expect(demands).toEqual([
    { metric: 'a_bucket', labels: ['job', 'le', 'code', 'result'], values: { result: 'error' } },
    { metric: 'c', labels: [], values: {} },
    { metric: 'b', labels: [], values: {} },
  ]);
  expect(grouping).toEqual(['job', 'le']);
  expect(() => readExpression('sum by (')).toThrow('not PromQL');
});

const own = await ownMonitoring();

/** As the kit writes it. */
function authorFiles(): ReadonlyMap<string, string> {
  const { outputs, put } = collectOutputs(authorProject('/project'));
  const files = authorMonitoringFiles({ program: 'provider-my-notes', api: 'Notes', system: 'my-notes' });
  for (const { path, text } of files) put(path, 'provider.yaml', text);
  return outputs;
}
const files = authorFiles();
const author = await monitoringIn(
  'provider-my-notes',
  async (name) => files.get(`package/monitoring/${name}`) ?? '',
);

describe.each([
  { ...own, prefix: 'ProviderKyma', buildInfo: 'provider_kyma_build_info' },
  { ...author, prefix: 'ProviderMyNotes', buildInfo: 'provider_my_notes_build_info' },
])('$program', (monitoring) => {
  const { rules, manifest, dashboard, prefix, buildInfo } = monitoring;
  const alerts = alertsOf(monitoring);

  test('the manifest for the Prometheus operator has the groups of the rule file', () => {
    expect(manifest).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' });
    expect(manifest.spec).toEqual(rules);
  });

  describe('alerts', () => {
    test('have names, a severity, and expressions that Prometheus understands', () => {
      expect(alerts.length).toBeGreaterThan(10);
      expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
      for (const { alert, expr, labels, for: duration } of alerts) {
        expect(alert).toMatch(new RegExp(`^${prefix}[A-Z]\\w+$`));
        expect(['critical', 'warning', 'info']).toContain(labels.severity);
        expect(duration).toMatch(/^\d+m$/);
        expect(readExpression(expr).demands).not.toEqual([]);
      }
    });

    test('mean this provider and no other', () => {
      for (const { alert, expr } of alerts) {
        const { demands } = readExpression(expr);
        const own = demands.every(({ metric }) => metric.startsWith('provider_kyma_service_'));
        const joined = demands.some(({ metric }) => metric === buildInfo);
        expect({ alert, meant: own || joined }).toEqual({ alert, meant: true });
      }
    });

    test('use labels that their expression keeps', () => {
      for (const { alert, expr, annotations } of alerts) {
        const { demands, grouping } = readExpression(expr);
        const spoken = [
          ...`${annotations.summary} ${annotations.description}`.matchAll(/\$labels\.(\w+)/g),
        ].map(([, name = '']) => name);
        // What is not grouped keeps the labels of its metric, which the test against a running provider knows.
        const left = grouping ?? [...TARGET_LABELS, 'controller', ...demands.flatMap(({ labels }) => labels)];
        expect({ alert, unknown: spoken.filter((name) => !left.includes(name)) }).toEqual({
          alert,
          unknown: [],
        });
      }
    });
  });

  describe('the dashboard', () => {
    test('has panels beside each other, each with an ID of its own', () => {
      const { panels } = dashboard;
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
        expect({ title, fits: x >= 0 && x + w <= 24 }).toEqual({ title, fits: true });
        return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
      });
      expect(new Set(cells).size).toBe(cells.length);
    });

    test('is valid PromQL, selects the chosen instances, and names series by labels that are kept', () => {
      const { panels } = dashboard;
      const targets = panels.flatMap(({ title, targets = [] }) =>
        targets.map((target) => ({ title, ...target })),
      );
      expect(targets.length).toBeGreaterThan(30);
      for (const { title, expr, legendFormat } of targets) {
        const { demands, grouping } = readExpression(withGrafanaVariables(expr));
        for (const { labels } of demands)
          expect({ title, labels }).toMatchObject({ labels: expect.arrayContaining(TARGET_LABELS) });
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
        const left = grouping ?? TARGET_LABELS;
        expect({ title, unknown: named.filter((name) => !left.includes(name)) }).toEqual({
          title,
          unknown: [],
        });
      }
    });
  });
});

describe('our alerts', () => {
  test('each have a runbook and link to it, and there is no other', async () => {
    const all = alertsOf(own);
    const pages = (await readdir(runbooks)).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(all.map(({ alert }) => `${alert}.md`).sort());
    for (const { alert, annotations } of all) {
      expect(annotations.runbook_url).toBe(`docs/runbooks/${alert}.md`);
      const page = await readFile(new URL(`${alert}.md`, runbooks), 'utf8');
      expect(page).toContain(`# ${alert}\n`);
      expect(page).toContain('../../package/monitoring/prometheus-rules.yaml');
      for (const heading of ['## Meaning', '## Diagnosis', '## Remediation']) {
        expect({ alert, heading, there: page.includes(`\n${heading}\n`) }).toEqual({
          alert,
          heading,
          there: true,
        });
      }
    }
  });

  test('are all listed, with what each means', async () => {
    const list = await readFile(new URL('README.md', runbooks), 'utf8');
    const listed = [...list.matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \|/gm)].map(
      ([, name, page, severity]) => ({
        name,
        page,
        severity,
      }),
    );
    const known = alertsOf(own).map(({ alert, labels }) => ({
      name: alert,
      page: alert,
      severity: labels.severity,
    }));
    expect(listed).toEqual(known);
  });
});

test('an author has a page with what to do about each alert, to which the alerts link', () => {
  const page = files.get(ALERTS_PAGE) ?? '';
  for (const { alert, labels, annotations } of alertsOf(author)) {
    expect(page).toMatch(
      new RegExp(`^\\| .${alert}. \\| ${labels.severity} \\| [^|{}]+ \\| [^|{}]+ \\|$`, 'm'),
    );
    expect(annotations.runbook_url).toBe(ALERTS_PAGE);
  }
});

test("an author has the framework's panels and alerts as we have them, under the name of the provider", () => {
  const renamed = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('provider_my_notes', 'provider_kyma')
        .replaceAll('provider-my-notes', 'provider-kyma')
        .replaceAll('ProviderMyNotes', 'ProviderKyma'),
    );
  const ofAuthor = author.dashboard.panels.length;
  expect(ofAuthor).toBeGreaterThan(30);
  expect(renamed(author.dashboard.panels)).toEqual(own.dashboard.panels.slice(0, ofAuthor));
  const expressions = (monitoring: typeof own) =>
    alertsOf(monitoring).flatMap(({ alert, expr }) => (/Api(Errors|Throttles)$/.test(alert) ? [] : [expr]));
  expect(expressions(own)).toEqual(expect.arrayContaining(renamed(expressions(author)) as string[]));
});
