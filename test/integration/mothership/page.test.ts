/** The page for operators, in a real browser against a mothership with real runs. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../environment/eventually.ts';
import { differingPixels, NO_BROWSER, startBrowser } from '../../environment/mothership/browser.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  type MothershipProgramOptions,
  startMothershipProgram,
} from '../../environment/mothership/mothership-program.ts';
import { CLIENT_ID, type OidcIssuer, startOidcIssuer } from '../../environment/mothership/oidc-issuer.ts';
import {
  contrasts,
  focusedText,
  overflow,
  unnamedControls,
} from '../../environment/mothership/page-functions.js';
import { clusterDocument } from '../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

const PAGE_FOLDER = join(import.meta.dirname, '../../../dist/provider-kyma-parts');
const SCREENSHOTS = join(import.meta.dirname, 'screenshots');
/** More different pixels are another page. */
const TOLERATED = 0.01;

// A browser on a busy machine.
jest.setTimeout(120_000);

const browser: Browser | undefined = await startBrowser();
if (browser === undefined) process.stderr.write(`${NO_BROWSER}\n`);
/** Only where there is a browser. */
const inBrowser = browser === undefined ? test.skip : test;

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let issuer: OidcIssuer;
let kubeconfig: string;
let mothership: MothershipProgram;
let databaseUrl: string | undefined;
/** Of all tests that have no mothership of their own: each page has a process, whose start takes a second of CPU time. */
let shared: Page;
/** Where images are compared. */
let empty: Page;
/** What the open pages have complained about. */
const problems: string[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (browser === undefined) return;
  databases = await startTestDatabases();
  issuer = await startOidcIssuer();
  ({ kubeconfig } = (await controlPlanes()).kyma);
  reconciler = await startComponentReconciler(({ component }) => {
    if (component === 'eventing') return { callbacks: [{ status: 'error', error: 'no NATS' }] };
    return component === 'slow' ? { callbacks: [{ status: 'running' }] } : {};
  });
  databaseUrl = await databases.server?.createDatabase();
  mothership = await startMothership({ databaseUrl });
  shared = await newPage(browser);
  empty = await shared.context().newPage();
  for (const [id, component] of [
    ['broken-1', 'eventing'],
    ['broken-2', 'eventing'],
    ['good', 'istio'],
    ['slow', 'slow'],
  ] as const) {
    await register(id, component);
  }
  await eventually(async () => {
    const { body } = await mothership.call('GET', '/v1/overview');
    expect(body).toMatchObject({ runningOperations: 1, failures: [{ clusters: 2 }] });
  });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  expect(problems.splice(0).filter((text) => !text.includes('401'))).toEqual([]);
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  await issuer?.close();
  await databases?.close();
  await browser?.close();
});

const startMothership = (options: MothershipProgramOptions) =>
  startMothershipProgram({ reconciler: reconciler.url, pageFolder: PAGE_FOLDER, ...options });

async function register(id: string, component: string, on = mothership, headers = {}): Promise<void> {
  const body = clusterDocument(id, [component], { kubeconfig });
  expect(await on.call('POST', '/v1/clusters', { body, headers })).toMatchObject({ status: 200 });
}

async function newPage(on: Browser): Promise<Page> {
  const context = await on.newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  return page;
}

/** The page of the mothership, loaded anew. */
async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  await shared.emulateMedia({ colorScheme });
  await shared.goto(`${mothership.url}/`);
  return shared;
}

/** The page of another mothership, without a session. */
async function openOther({ url }: MothershipProgram): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const page = await newPage(browser);
  cleanUps.push(() => page.context().close());
  await page.goto(`${url}/`);
  return page;
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

inBrowser('statuses, failures by reason, running operations and clusters are shown', async () => {
  const page = await open();
  await page.getByText('Live').waitFor();
  // A failed cluster is tried again now and then.
  await eventually(async () => {
    expect(await section(page, 'Statuses').getByRole('button').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/2\s*failed, is tried again/)]),
    );
    const failure = section(page, 'Failures').getByRole('row', { name: /eventing/ });
    expect(await failure.textContent()).toMatch(/no NATS.*2 clusters/s);
    expect(await section(page, 'Running operations').textContent()).toMatch(/1 operation\b.*slow/s);
  });
  const rows = await section(page, 'Clusters').getByRole('rowheader').allInnerTexts();
  expect(rows).toEqual(['broken-1', 'broken-2', 'good', 'slow']);
  expect(await page.getByText('Read-only').isVisible()).toBe(true);
});

inBrowser('a change is shown without a reload, and looks as after a reload', async () => {
  const page = await open();
  await page.getByText('Live').waitFor();
  await register('another', 'istio');
  await section(page, 'Clusters').getByRole('rowheader', { name: 'another' }).waitFor();
  await page
    .getByRole('row', { name: /another/ })
    .getByText('ready')
    .waitFor();
  const live = await page.locator('main').ariaSnapshot();
  await page.reload();
  await page.getByText('Live').waitFor();
  const timeless = (text: string) => text.replace(/\b\d+ (s|min|h)\b|\bnow\b|in \d+ \w+/g, 'T');
  expect(timeless(await page.locator('main').ariaSnapshot())).toBe(timeless(live));
});

inBrowser('the keyboard alone filters, opens the history of a cluster, and returns to it', async () => {
  const page = await open();
  await page.getByText('Live').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(focusedText)).toBe('To the list of clusters');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('broken-2');
  const rows = section(page, 'Clusters').getByRole('rowheader');
  await eventually(async () => expect(await rows.allInnerTexts()).toEqual(['broken-2']));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Cluster broken-2' });
  await dialog.getByRole('table', { name: 'Statuses, the newest first' }).waitFor();
  expect(await dialog.getByRole('table', { name: 'Operations' }).textContent()).toContain('no NATS');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.evaluate(focusedText)).toBe('broken-2');
});

inBrowser('the focus stays where it is while the page is brought up to date', async () => {
  const page = await open();
  const button = section(page, 'Clusters').getByRole('button', { name: 'good' });
  await button.focus();
  for (let updates = 0; updates < 2; updates++) {
    await page.waitForResponse((response) => response.url().includes('/v1/clusters?'));
  }
  expect(await page.evaluate(focusedText)).toBe('good');
});

inBrowser('every control and every table has a name, and headings are in order', async () => {
  const page = await open();
  await page.getByText('Live').waitFor();
  expect(await page.evaluate(unnamedControls)).toEqual([]);
  expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Kyma clusters']);
  expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
    'Statuses',
    'Failures',
    'Running operations',
    'Clusters',
  ]);
});

describe.each(['light', 'dark'] as const)('in %s colors', (colorScheme) => {
  inBrowser('texts have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3)', async () => {
    const page = await open(colorScheme);
    await page.getByText('Live').waitFor();
    const found = await page.evaluate(contrasts);
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
  });

  inBrowser('it looks as recorded', async () => {
    if (browser === undefined) return;
    const page = await open(colorScheme);
    await page.getByText('Live').waitFor();
    await register('another', 'istio');
    await page
      .getByRole('row', { name: /another/ })
      .getByText('ready')
      .waitFor();
    // What depends on the time.
    const mask = [
      page.locator(
        '#cluster-rows td:nth-child(4), #cluster-rows td:nth-child(7), #cluster-rows td:nth-child(6)',
      ),
      page.locator('#failures td:nth-child(5), #operations td:nth-child(4), #operations td:nth-child(5)'),
      page.locator('#statuses, #failures td:nth-child(3)'),
    ];
    const take = () => page.screenshot({ mask, fullPage: true, animations: 'disabled' });
    const [major = ''] = browser.version().split('.');
    const file = join(SCREENSHOTS, `chromium-${major}-${process.platform}-${colorScheme}.png`);
    if (process.env.UPDATE_SCREENSHOTS === '1') {
      mkdirSync(SCREENSHOTS, { recursive: true });
      writeFileSync(file, await take());
    }
    if (!existsSync(file)) {
      process.stderr.write(`not compared: there is no ${file}; UPDATE_SCREENSHOTS=1 records it\n`);
      return;
    }
    const recorded = readFileSync(file);
    // A failed cluster is tried again now and then.
    await eventually(async () =>
      expect(await differingPixels(empty, recorded, await take())).toBeLessThan(TOLERATED),
    );
  });
});

describe('a paused rollout', () => {
  const pause = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `insert into mothership.rollouts (id, kind, name, reason, clusters, failed_clusters)
       values ('r1', 'component', 'eventing', '12 of 40 clusters with a result in the last hour failed', 40, 12)`,
    );
    await client.end();
  };

  inBrowser('is resumed by an administrator who has logged in, and by nobody else', async () => {
    if (databases.server === undefined) return leftOut('a paused rollout on the page');
    const url = await databases.server.createDatabase();
    const secured = await startMothership({
      databaseUrl: url,
      flags: { oidcIssuerUrl: issuer.url, oidcClientId: CLIENT_ID, oidcUsernameClaim: 'email' },
    });
    cleanUps.push(secured.stop);
    await pause(url);

    issuer.setUser({ email: 'viewer@example.org', groups: ['reconciler-viewer'] });
    const viewer = await openOther(secured);
    await viewer.getByRole('link', { name: 'Log in' }).click();
    await viewer.getByText('viewer@example.org').waitFor();
    expect(await section(viewer, 'Paused rollouts').textContent()).toContain('12 of 40 clusters');
    expect(await viewer.getByRole('button', { name: /^Resume component/ }).count()).toBe(0);

    issuer.setUser({ email: 'admin@example.org', groups: ['reconciler-admin'] });
    const admin = await openOther(secured);
    await admin.getByRole('link', { name: 'Log in' }).click();
    await admin.getByRole('button', { name: 'Resume component eventing' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await admin.getByRole('button', { name: 'Resume component eventing' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await section(admin, 'Paused rollouts').waitFor({ state: 'hidden' });
    const cookies = await admin.context().cookies();
    expect(cookies).toEqual([
      expect.objectContaining({ name: 'mothership_session', httpOnly: true, sameSite: 'Strict' }),
    ]);
    const session = `${cookies[0]?.name}=${cookies[0]?.value}`;
    const rollouts = `${secured.url}/v1/rollouts`;
    const sameOrigin = await fetch(rollouts, {
      headers: { cookie: session, 'sec-fetch-site': 'same-origin' },
    });
    expect(await sameOrigin.json()).toMatchObject([{ paused: false, resumedBy: 'admin@example.org' }]);
    // What another site makes the browser send has no session.
    for (const site of ['cross-site', 'same-site', 'none']) {
      const foreign = await fetch(rollouts, { headers: { cookie: session, 'sec-fetch-site': site } });
      expect(foreign.status).toBe(401);
    }
  });
});

inBrowser('10,000 clusters are shown a page at a time, and found by their first letters', async () => {
  if (databases.server === undefined) return leftOut('10,000 clusters on the page');
  const url = await databases.server.createDatabase();
  const large = await startMothership({ databaseUrl: url });
  cleanUps.push(large.stop);
  await register('first', 'istio', large);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into mothership.runtimes (runtime_id, cluster_version, config_version, status_id, status, status_since,
       kyma_version, runtime_name, global_account_id, plan_name, next_run_at)
     select 'c' || lpad(n::text, 5, '0'), cluster_version, config_version, status_id, 'ready', now(), '2.' || n % 3, 'name ' || n,
       '', '', now() + interval '1 day'
     from mothership.runtimes, generate_series(1, 10000) n where runtime_id = 'first'`,
  );
  await client.end();
  const page = await openOther(large);
  const rows = section(page, 'Clusters').getByRole('rowheader');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(100);
  await page.getByRole('button', { name: 'Next' }).click();
  await rows.getByText('c00101').waitFor();
  expect(await rows.count()).toBe(100);
  await page.getByRole('button', { name: 'Previous' }).click();
  await rows.getByText('c00001').waitFor();
  await page.getByRole('searchbox').fill('c0999');
  await eventually(async () => expect(await rows.count()).toBe(10));
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
});
