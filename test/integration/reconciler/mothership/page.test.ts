/** The page for operators, in a real browser against a mothership with real runs. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../../environment/eventually.ts';
import { NO_BROWSER, startBrowser } from '../../../environment/mothership/browser.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  type MothershipProgramOptions,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { CLIENT_ID, type OidcIssuer, startOidcIssuer } from '../../../environment/mothership/oidc-issuer.ts';
import {
  contrasts,
  focusedText,
  overflow,
  unnamedControls,
} from '../../../environment/mothership/page-functions.js';
import { clusterDocument, componentOf } from '../../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

const PAGE_FOLDER = join(import.meta.dirname, '../../../../dist/provider-kyma-parts');
const SIZE = { width: 1280, height: 900 };

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
  const context = await on.newContext({ viewport: SIZE });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  return page;
}

/** The page of the mothership, loaded anew. */
async function open(path = '/'): Promise<Page> {
  await shared.emulateMedia({ colorScheme: 'light' });
  await shared.goto(`${mothership.url}${path}`);
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

inBrowser('groups of clusters lead to their list; versions, components and runs are shown', async () => {
  const page = await open();
  await page.getByText('Live').waitFor();
  await eventually(async () => {
    const numbers = await section(page, 'Clusters').getByRole('link').allInnerTexts();
    expect(numbers.map((text) => text.replace(/\s+/g, ' '))).toEqual(
      expect.arrayContaining(['2 failing', '0 held']),
    );
  });
  // Components are counted every ten seconds.
  await eventually(
    async () => {
      expect(await section(page, 'Versions').textContent()).toMatch(/2\.0\.0\d+ clusters, 2 failing/);
      expect(await section(page, 'Components').textContent()).toMatch(/eventing2 clusters, 2 failing/);
      expect(await section(page, 'Runs').textContent()).toMatch(
        /Runs of the last hour: \d+ ready, \d+ failed/,
      );
    },
    { timeoutMs: 60_000 },
  );
  await section(page, 'Runs').getByRole('button', { name: 'Week' }).click();
  await section(page, 'Runs').getByText('Runs of the last week').waitFor();
  await section(page, 'Clusters')
    .getByRole('link', { name: /failing/ })
    .click();
  const rows = section(page, 'All clusters').getByRole('rowheader');
  await eventually(async () =>
    expect(await rows.allInnerTexts()).toEqual(['name of broken-1', 'name of broken-2']),
  );
  expect(new URL(page.url()).search).toBe('?group=failing');
  expect(await page.getByText('Read-only').isVisible()).toBe(true);
});

inBrowser(
  'failures are one entry for each cause, which opens to its clusters; what runs is beside them',
  async () => {
    const page = await open('/ui/failures');
    const cause = section(page, 'Failures by cause').getByRole('listitem').first();
    await cause.getByText('eventing').waitFor();
    await eventually(async () =>
      expect(await cause.textContent()).toMatch(/no NATS.*2 clusters.* · for \d+ (s|min) · next attempt /s),
    );
    await cause.getByText('eventing').click();
    expect(await cause.getByRole('link').allInnerTexts()).toEqual(['name of broken-1', 'name of broken-2']);
    expect(await section(page, 'Running operations').textContent()).toMatch(/1 operation\b.*slow/s);
    await cause.getByRole('link', { name: 'name of broken-2' }).click();
    await page.getByRole('heading', { level: 2, name: 'name of broken-2' }).waitFor();
    await page.goBack();
    await section(page, 'Failures by cause').waitFor();
  },
);

inBrowser(
  'a cluster has a page with an address of its own: state, run with its components, time line, configurations',
  async () => {
    const secret = { key: 'password', value: 'geheim-1', secret: true };
    const document = (value: string) => ({
      ...clusterDocument('changed', ['istio'], { kubeconfig }),
      kymaConfig: {
        ...clusterDocument('changed', ['istio']).kymaConfig,
        components: [
          componentOf('istio', {
            configuration: [
              { ...secret, value },
              { key: 'replicas', value: value.length, secret: false },
            ],
          }),
          componentOf('eventing'),
        ],
      },
    });
    for (const value of ['geheim-1', 'geheim-22']) {
      await mothership.call('POST', '/v1/clusters', { body: document(value) });
    }
    const page = await open('/ui/clusters/changed');
    await page.getByRole('heading', { level: 2, name: 'name of changed' }).waitFor();
    await page.locator('#cluster-content').getByText('retrying').first().waitFor();
    const graph = page.getByRole('list', { name: 'Components in the order of their prerequisites' });
    await eventually(async () => expect(await graph.textContent()).toMatch(/eventingfailed.*no NATS/s));
    expect(await graph.textContent()).toMatch(/istiodone/);
    await page.getByText(/: 2 differences/).click();
    const differences = page.getByRole('table', { name: /^Differences of version/ });
    expect(await differences.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/istio: password\s+•+\s+•+/),
        expect.stringMatching(/istio: replicas\s+8\s+9/),
      ]),
    );
    expect(await page.content()).not.toContain('geheim');
    await page.getByText('Statuses', { exact: true }).click();
    expect(
      await page.getByRole('table', { name: 'Statuses, the newest first' }).getByRole('row').count(),
    ).toBeGreaterThan(2);
    expect(await page.getByRole('button', { name: 'Copy runtime ID' }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Reconcile now' }).count()).toBe(0);
  },
);

inBrowser(
  'a page that gets no stream reads its view when it asks for one again, and is live when it gets one',
  async () => {
    let refused = 0;
    await shared.route('**/v1/events', async (route) => {
      if (++refused > 1) return route.continue();
      await route.fulfill({ status: 429, contentType: 'application/json', body: '{"error":"too many"}' });
    });
    const page = await open('/ui/clusters');
    await page.getByText('Connecting').waitFor();
    await page.getByText('Live').waitFor();
    expect(refused).toBe(2);
    await page.unroute('**/v1/events');
    expect(problems.splice(0).every((text) => text.includes('429'))).toBe(true);
  },
);

inBrowser('a stream that ends is opened again, and what changed in between is shown', async () => {
  let opened = 0;
  await shared.route('**/v1/events', async (route) => {
    if (++opened > 1) return route.continue();
    await route.fulfill({ contentType: 'text/event-stream', body: 'retry: 5000\n\n' });
  });
  cleanUps.push(() => shared.unroute('**/v1/events'));
  const page = await open('/ui/clusters');
  await page.getByText('Connecting').waitFor();
  await register('meanwhile', 'istio');
  await section(page, 'All clusters').getByRole('rowheader', { name: 'name of meanwhile' }).waitFor();
  await page.getByText('Live').waitFor();
  expect(opened).toBe(2);
});

inBrowser('an answer about a cluster that comes late is not shown in place of another cluster', async () => {
  const late = Promise.withResolvers<void>();
  await shared.route('**/v1/clusters/broken-1/details', async (route) => {
    await late.promise;
    await route.continue();
  });
  cleanUps.push(() => shared.unroute('**/v1/clusters/broken-1/details'));
  const page = await open('/ui/clusters?search=name');
  const cluster = (name: string) => section(page, 'All clusters').getByRole('link', { name });
  await cluster('name of broken-1').click();
  await page.goBack();
  await cluster('name of good').click();
  await page.getByRole('heading', { level: 2, name: 'name of good' }).waitFor();
  const answered = page.waitForResponse((response) => response.url().includes('/broken-1/details'));
  late.resolve();
  await (await answered).finished();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('name of good');
});

inBrowser('a cluster that is not there is said to be so', async () => {
  for (const address of ['nobody', '%zz']) {
    const page = await open(`/ui/clusters/${address}`);
    await page
      .locator('#connection')
      .getByText(/^No current data: /)
      .waitFor();
    expect(problems.splice(0).filter((text) => !text.includes('status of 4'))).toEqual([]);
  }
});

inBrowser('component reconcilers are shown with their work', async () => {
  const page = await open('/ui/reconcilers');
  const row = section(page, 'Work by component').getByRole('row', { name: /^slow/ });
  await row.waitFor();
  expect((await row.allInnerTexts()).join().replace(/\s+/g, ' ')).toMatch(/^slow 0 1 – /);
});

inBrowser('a change is shown without a reload, and looks as after a reload', async () => {
  const page = await open('/ui/clusters');
  await page.getByText('Live').waitFor();
  await register('another', 'istio');
  await section(page, 'All clusters').getByRole('rowheader', { name: 'name of another' }).waitFor();
  await page
    .getByRole('row', { name: /another/ })
    .getByText('ready')
    .waitFor();
  const live = await page.locator('main').ariaSnapshot();
  await page.reload();
  await page.getByText('Live').waitFor();
  const timeless = (text: string) =>
    text.replace(/\b\d+ (s|min|h)\b|\bnow\b|in \d+ \w+|retrying|reconciling/g, 'T');
  expect(timeless(await page.locator('main').ariaSnapshot())).toBe(timeless(live));
});

inBrowser('the keyboard alone goes to the content, searches, opens a cluster, and returns', async () => {
  const page = await open('/ui/clusters');
  await page.getByText('Live').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(focusedText)).toBe('To the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('OF BROKEN-2');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('location.search')).toBe('?search=OF+BROKEN-2');
  const rows = section(page, 'All clusters').getByRole('rowheader');
  await eventually(async () => expect(await rows.allInnerTexts()).toEqual(['name of broken-2']));
  // Four filters, and the list, which is scrolled by keys.
  for (let presses = 0; presses < 8 && (await page.evaluate(focusedText)) !== 'name of broken-2'; presses++) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'name of broken-2' }).waitFor();
  await page.goBack();
  await eventually(async () => expect(await rows.allInnerTexts()).toEqual(['name of broken-2']));
});

inBrowser('the focus stays where it is while the page is brought up to date', async () => {
  const page = await open('/ui/clusters');
  const link = section(page, 'All clusters').getByRole('link', { name: 'name of good' });
  await link.focus();
  for (const id of ['focus-1', 'focus-2']) {
    const updated = page.waitForResponse((response) => response.url().includes('/v1/clusters?'));
    await register(id, 'istio');
    await updated;
  }
  expect(await page.evaluate(focusedText)).toBe('name of good');
});

const VIEWS = [
  { view: 'overview', path: '/ui/', headings: ['Clusters', 'Runs', 'Versions', 'Components'] },
  { view: 'failures', path: '/ui/failures', headings: ['Failures by cause', 'Running operations'] },
  // One cluster, however many other tests have registered.
  { view: 'clusters', path: '/ui/clusters?search=good', headings: ['All clusters'] },
  { view: 'cluster', path: '/ui/clusters/broken-1', headings: ['name of broken-1'] },
  { view: 'reconcilers', path: '/ui/reconcilers', headings: ['Work by component'] },
] as const;

describe.each(VIEWS)('the view $view', ({ path, headings }) => {
  /** WCAG 2.2, 1.4.3. */
  const expectContrast = async (page: Page) => {
    const found = await page.evaluate(contrasts);
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
  };

  inBrowser('has a name for every control, headings in order, and fits into a narrow window', async () => {
    const page = await open(path);
    await page.getByText('Live').waitFor();
    expect(await page.evaluate(unnamedControls)).toEqual([]);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Kyma clusters']);
    await eventually(async () =>
      expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(headings),
    );
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    await page.setViewportSize(SIZE);
  });

  inBrowser('has texts with a contrast of at least 4.5 to 1, in light and in dark colors', async () => {
    const page = await open(path);
    await page.getByText('Live').waitFor();
    await expectContrast(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectContrast(page);
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
    // As the issuer sends a user back who has no access to the client.
    await viewer.goto(`${secured.url}/ui/callback?error=access_denied`);
    await viewer.getByText('The login failed: the log of the mothership says why.').waitFor();
    await viewer.getByRole('link', { name: 'Log in' }).click();
    await viewer.getByText('viewer@example.org').waitFor();
    expect(await section(viewer, 'Paused rollouts').textContent()).toContain('12 of 40 clusters');
    expect(await viewer.getByRole('button', { name: /^Resume component/ }).count()).toBe(0);

    issuer.setUser({ email: 'admin@example.org', groups: ['reconciler-admin', 'reconciler-operator'] });
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
    await fetch(`${secured.url}/v1/clusters`, {
      method: 'POST',
      headers: { cookie: session, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(clusterDocument('mine', ['istio'], { kubeconfig })),
    });
    await admin.goto(`${secured.url}/ui/clusters/mine`);
    await admin.getByRole('button', { name: 'Disable' }).click();
    await admin.getByRole('button', { name: 'Enable' }).click();
    await admin.getByRole('button', { name: 'Reconcile now' }).waitFor();
    // What another site makes the browser send has no session.
    for (const site of ['cross-site', 'same-site', 'none']) {
      const foreign = await fetch(rollouts, { headers: { cookie: session, 'sec-fetch-site': site } });
      expect(foreign.status).toBe(401);
    }
  });
});
