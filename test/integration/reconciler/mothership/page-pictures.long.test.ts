/** The page for operators with 0, 3, 200 and 10,000 clusters: how each view looks, what is loaded, and what a change costs. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { openKeyFile } from '../../../../internal/systems/reconciler/mothership/encryption/key-file.ts';
import { eventually } from '../../../environment/eventually.ts';
import { differingPixels, NO_BROWSER, startBrowser } from '../../../environment/mothership/browser.ts';
import { alignRuns, clusterIdOf, fillClusters } from '../../../environment/mothership/many-clusters.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { firstView, overflow } from '../../../environment/mothership/page-functions.js';
import { type Statement, statementsOf } from '../../../environment/mothership/statements.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SCREENSHOTS = join(import.meta.dirname, 'screenshots');
const SIZE = { width: 1280, height: 900 };
/** More different pixels are another page: a few words that tell how long ago something was may differ. */
const TOLERATED = 0.002;

// A browser on a busy machine.
jest.setTimeout(120_000);

const browser: Browser | undefined = await startBrowser();
if (browser === undefined) process.stderr.write(`${NO_BROWSER}\n`);
const databases: TestDatabases = await startTestDatabases();
const { server } = databases;
if (server === undefined) leftOut('the page with 10,000 clusters');
/** Only where there are a browser and a database that can be filled. */
const inBrowser = browser === undefined || server === undefined ? test.skip : test;

let mothership: MothershipProgram;
let client: pg.Client;
let page: Page;
/** Where images are compared. */
let empty: Page;
const problems: string[] = [];

beforeAll(async () => {
  if (browser === undefined || server === undefined) return;
  const databaseUrl = await server.createDatabase();
  mothership = await startMothershipProgram({
    databaseUrl,
    pageFolder: join(ROOT, 'dist/provider-kyma-parts'),
  });
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  page = await browser.newPage({ viewport: SIZE });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  empty = await browser.newPage();
});
afterAll(async () => {
  await client?.end();
  await mothership?.stop();
  await databases.close();
  await browser?.close();
  expect(problems).toEqual([]);
});

/** Resolves when the page is live, and has read its view after that. */
async function open(path: string): Promise<void> {
  await page.goto(`${mothership.url}${path}`);
  await page.getByText('Live').waitFor();
  // What comes after the view.
  await page.locator('#session:not(:empty)').waitFor();
}

/** Compares a view with its picture. */
async function compare(path: string, name: string): Promise<void> {
  if (browser === undefined) return;
  const take = async () => {
    await alignRuns(client);
    // Answers that are shared by many pages are forgotten.
    await new Promise((done) => setTimeout(done, 300));
    await open(path);
    // The time of day.
    return page.screenshot({
      mask: [page.locator('.chart text')],
      maskColor: '#888888',
      animations: 'disabled',
    });
  };
  const [major = ''] = browser.version().split('.');
  const file = join(SCREENSHOTS, `chromium-${major}-${process.platform}-${name}.png`);
  if (process.env.UPDATE_SCREENSHOTS === '1') {
    mkdirSync(SCREENSHOTS, { recursive: true });
    writeFileSync(file, await take());
    const [, view = '', scheme = ''] = /^(overview|cluster)-200-1280-(light|dark)$/.exec(name) ?? [];
    const picture = join(ROOT, 'docs/pictures', `page-${view}.${scheme}.png`);
    if (view !== '') writeFileSync(picture, await page.screenshot({ animations: 'disabled' }));
  }
  if (!existsSync(file)) {
    process.stderr.write(`not compared: there is no ${file}; UPDATE_SCREENSHOTS=1 records it\n`);
    return;
  }
  const recorded = readFileSync(file);
  await eventually(async () =>
    expect(await differingPixels(empty, recorded, await take())).toBeLessThan(TOLERATED),
  );
}

const LOOKS = [1280, 400].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);
/** Views with what is in them without a cluster, and from how many clusters on they are there. */
const VIEWS = [
  { view: 'overview', path: '/ui/', empty: 'No cluster is registered.', from: 0 },
  { view: 'failures', path: '/ui/failures', empty: 'provider-kyma clusters list --group failing', from: 0 },
  { view: 'clusters', path: '/ui/clusters', empty: 'provider-kyma clusters list', from: 0 },
  { view: 'reconcilers', path: '/ui/reconcilers', empty: 'provider-kyma component start base', from: 0 },
  { view: 'cluster', path: `/ui/clusters/${clusterIdOf(3)}`, empty: '', from: 3 },
] as const;

describe.each([0, 3, 200, 10_000])('with %s clusters', (count) => {
  inBrowser('the lists have them, or name the command that fills them', async () => {
    await fillClusters(
      client,
      count,
      await openKeyFile(join(mothership.folder, 'encryption.key'), systemClock),
    );
    await client.query('analyze');
    await open('/ui/');
    await page.getByText(count === 0 ? 'No cluster is registered.' : 'Versions').waitFor();
    for (const { path, empty: text, from } of VIEWS) {
      if (count > 0 || from > 0) continue;
      await open(path);
      await page.locator('.empty:visible', { hasText: text }).first().waitFor();
    }
  });

  describe.each(VIEWS.filter(({ from }) => from <= count))('$view', ({ view, path }) => {
    inBrowser.each(LOOKS)('looks as recorded: $width pixels, $scheme', async ({ width, scheme }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await open(path);
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      await compare(path, `${view}-${count}-${width}-${scheme}`);
    });
  });
});

describe('with 10,000 clusters', () => {
  /** Statements of what a view shows, by a text that each of them has. */
  const countsOf = (statements: readonly Statement[]) =>
    Object.fromEntries(
      Object.entries({
        counts: /with alike/,
        failures: /from failing/,
        running: /count\(\*\) over \(\)/,
        history: /generate_series/,
        list: /array_position/,
        total: /as total/,
        load: /with work as/,
      }).flatMap(([name, text]) => {
        const { length } = statements.filter((statement) => text.test(statement.text));
        return length === 0 ? [] : [[name, length]];
      }),
    );

  inBrowser.each([
    {
      path: '/ui/',
      data: '/v1/overview?window=hour',
      statements: { counts: 1, failures: 1, running: 1, history: 1 },
    },
    { path: '/ui/failures', data: '/v1/overview', statements: { counts: 1, failures: 1, running: 1 } },
    { path: '/ui/clusters', data: '/v1/clusters?offset=0&limit=80', statements: { list: 1, total: 1 } },
    {
      path: '/ui/clusters?group=failing&version=2.19.1',
      data: '/v1/clusters?group=failing&kymaVersion=2.19.1&offset=0&limit=80',
      statements: { list: 1, total: 1 },
    },
    { path: '/ui/reconcilers', data: '/v1/load', statements: { load: 1 } },
  ])(
    '$path comes by one request for data, which begins before the script has come, and few statements',
    async ({ path, data, statements }) => {
      await page.setViewportSize(SIZE);
      await page.goto('about:blank');
      // What is remembered for other pages is forgotten.
      await new Promise((done) => setTimeout(done, 300));
      const order: string[] = [];
      const bodies: Promise<Buffer>[] = [];
      const onRequest = (request: { url(): string }) =>
        order.push(request.url().slice(mothership.url.length));
      const onResponse = (response: { url(): string; body(): Promise<Buffer> }) => {
        const isFirst = order.filter((url) => response.url().endsWith(url)).length === 1;
        if (isFirst && !response.url().endsWith('/v1/events') && bodies.length < 4)
          bodies.push(response.body());
      };
      page.on('request', onRequest).on('response', onResponse);
      // The stream is opened by the script: what follows is no longer the first view.
      const sent = await statementsOf(async () => {
        const opened = page.waitForRequest((request) => request.url().endsWith('/v1/events'));
        const read = page.waitForResponse((response) => response.url() === `${mothership.url}${data}`);
        await page.goto(`${mothership.url}${path}`);
        await Promise.all([opened, read]);
      });
      await page.getByText('Live').waitFor();
      page.off('request', onRequest).off('response', onResponse);
      expect(order.slice(0, order.indexOf('/v1/events')).toSorted()).toEqual(
        [path, '/ui/page.css', '/ui/page.js', data].toSorted(),
      );
      const sizes = (await Promise.all(bodies)).map((body) => body.length);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      expect(sizes).toHaveLength(4);
      expect(bytes).toBeLessThan(150_000);
      expect(countsOf(sent)).toMatchObject(statements);
      const { shown, script, asked } = await page.evaluate(firstView, data);
      expect(asked).toBeLessThan(script);
      process.stdout.write(
        `${path} with 10,000 clusters: ${bytes} bytes, shown after ${Math.round(shown)} ms\n`,
      );
    },
  );

  inBrowser.each(['/ui/', '/ui/failures', '/ui/clusters', '/ui/reconcilers'])(
    '%s asks for nothing while nothing changes, and once for a change',
    async (path) => {
      await open(path);
      const requests: string[] = [];
      const onRequest = (request: { url(): string }) =>
        requests.push(request.url().slice(mothership.url.length));
      const waitQuietly = (ms: number) => new Promise((done) => setTimeout(done, ms));
      // What the stream says at its beginning has been read.
      await waitQuietly(3000);
      page.on('request', onRequest);
      await waitQuietly(3000);
      const quiet = requests.splice(0);
      await client.query(`update mothership.runtimes set held = not held where runtime_id = $1`, [
        clusterIdOf(1),
      ]);
      await eventually(async () => expect(requests.length).toBeGreaterThan(0));
      await waitQuietly(2500);
      page.off('request', onRequest);
      expect({ quiet, requests: requests.length }).toEqual({ quiet: [], requests: 1 });
    },
  );

  inBrowser('only those near the visible ones are in the page, and each is found by its name', async () => {
    await open('/ui/clusters');
    const list = page.getByRole('region', { name: 'All clusters', exact: true });
    const rows = list.getByRole('rowheader');
    await page.getByText('10,000 clusters').waitFor();
    expect(await rows.count()).toBeLessThan(90);
    await page.locator('#cluster-scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
    await rows.getByText('shop-10000').waitFor();
    expect(await rows.count()).toBeLessThan(90);
    await page.getByRole('searchbox').fill('shop-0999');
    await eventually(async () => expect(await rows.count()).toBe(10));
    await page.locator('#version').selectOption('2.18.3');
    await eventually(async () => expect(await rows.count()).toBeLessThan(5));
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  });
});
