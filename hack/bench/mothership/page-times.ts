/** The first view of the page for operators with 10,000 clusters, on loopback. */
import { createServer } from 'node:http';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { openKeyFile } from '../../../internal/systems/reconciler/mothership/encryption/key-file.ts';
import { startBrowser } from '../../../test/environment/mothership/browser.ts';
import { clusterIdOf, fillClusters } from '../../../test/environment/mothership/many-clusters.ts';
import { firstView } from '../../../test/environment/mothership/page-functions.js';
import { median } from '../measure/statistics.ts';
import type { MeasurementContext } from '../measurement.ts';
import { type Figure, figure } from '../report/figures.ts';
import { openLoadEnvironment } from './load-environment.ts';

const CLUSTERS = 10_000;
const TIMES = 7;
const FIRST_ANSWERS = 4;
/** What a process remembers of an answer for other pages, and more, in ms. */
const FORGOTTEN_MS = 300;
const WITH = 'with 10,000 clusters';

/** Views by the request for their data. */
const VIEWS = [
  { view: 'overview', path: '/ui/', data: '/v1/overview?window=hour' },
  { view: 'failures', path: '/ui/failures', data: '/v1/overview' },
  { view: 'clusters', path: '/ui/clusters', data: '/v1/clusters?offset=0&limit=80' },
  { view: 'component reconcilers', path: '/ui/reconcilers', data: '/v1/load' },
  {
    view: 'a cluster',
    path: `/ui/clusters/${clusterIdOf(3)}`,
    data: `/v1/clusters/${clusterIdOf(3)}/details`,
  },
] as const;

/** Without a browser only the answers of the API are measured. */
export async function pageTimes(context: MeasurementContext): Promise<Figure[]> {
  await using environment = await openLoadEnvironment(context, []);
  const client = new pg.Client({ connectionString: environment.databaseUrl });
  await client.connect();
  await fillClusters(client, CLUSTERS, await openKeyFile(environment.keyFile, context.clock));
  await client.query('analyze');
  await client.end();
  const figures: Figure[] = [];
  for (const { view, data } of VIEWS) {
    const { ms } = await repeated(async () => {
      const at = performance.now();
      const response = await fetch(`${environment.url}${data}`);
      if (!response.ok) throw new Error(`${data} is answered with ${response.status}`);
      await response.arrayBuffer();
      return { ms: performance.now() - at, bytes: 0 };
    });
    figures.push(figure(`data of the page ${WITH}, ${view}`, 'ms', ms));
  }
  const browser = await startBrowser();
  if (browser === undefined) {
    context.print('there is no browser: views are not measured');
    return figures;
  }
  try {
    const sizes: number[] = [];
    const inBrowser = (url: string, data: string) =>
      repeated(async () => {
        // A profile of its own: nothing is kept from the view before.
        const page = await (await browser.newContext()).newPage();
        const shown = await loaded(page, url, data);
        await page.context().close();
        return shown;
      });
    await using site = await listenOnLoopback(plainSite());
    const { ms: plain } = await inBrowser(`${site.url}/`, '/data');
    for (const { view, path, data } of VIEWS) {
      const { ms, bytes } = await inBrowser(`${environment.url}${path}`, data);
      sizes.push(bytes);
      figures.push({ ...figure(`first view of the page ${WITH}, ${view}`, 'ms', ms, 300), plain });
    }
    figures.push(
      figure(`bytes of the largest first view of the page ${WITH}`, '', Math.max(...sizes), 150_000),
    );
  } finally {
    await browser.close();
  }
  return figures;
}

/** The least that a page of this kind is: one script, which shows the answer to one request. What it takes is the browser's own. */
const PLAIN_SITE: Readonly<Record<string, readonly [contentType: string, body: string]>> = {
  '/': [
    'text/html',
    '<!doctype html><html><head><script type="module" src="/page.js"></script></head><body><p></p></body></html>',
  ],
  '/page.js': [
    'text/javascript',
    `const { text } = await (await fetch('/data')).json();
document.querySelector('p').textContent = text;
performance.mark('shown');`,
  ],
  '/data': ['application/json', '{"text":"Live"}'],
};

const plainSite = () =>
  createServer(({ url = '' }, response) => {
    const [contentType, body] = PLAIN_SITE[url] ?? [];
    if (contentType === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': contentType }).end(body);
  });

interface Shown {
  readonly ms: number;
  readonly bytes: number;
}

/** Medians. The first time warms up. */
async function repeated(load: () => Promise<Shown>): Promise<Shown> {
  const all: Shown[] = [];
  for (let time = 0; time <= TIMES; time++) {
    const shown = await load();
    if (time > 0) all.push(shown);
    await new Promise((done) => setTimeout(done, FORGOTTEN_MS));
  }
  return { ms: median(all.map(({ ms }) => ms)), bytes: median(all.map(({ bytes }) => bytes)) };
}

/** Time from the request until the view has its data, and the bytes of all answers until then. */
async function loaded(page: Page, url: string, data: string): Promise<Shown> {
  const bodies: Promise<number>[] = [];
  page.on('response', (response) => {
    // The page, its style and script, and its data; what comes after the view may be cut off by the end.
    if (response.url().endsWith('/v1/events') || bodies.length === FIRST_ANSWERS) return;
    bodies.push(response.body().then(({ length }) => length));
  });
  await page.goto(url);
  await page.getByText('Live').waitFor();
  const { shown } = await page.evaluate(firstView, data);
  const sizes = await Promise.all(bodies);
  return { ms: shown, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
