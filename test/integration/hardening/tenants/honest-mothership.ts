import type { RequestListener } from 'node:http';

/** A mothership in memory: what is registered is ready at once. */
export function honestMothership(): RequestListener {
  const clusters = new Map<string, { runtimeInput: object; kymaConfig: object; metadata: object }>();
  const answerOf = (cluster: string) => ({
    ...{ cluster, clusterVersion: 1, configurationVersion: 1, status: 'ready' },
    ...{ statusURL: 'http://m/status', failures: [] },
  });
  return async (request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://m');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'PUT') {
      const document = JSON.parse(Buffer.concat(chunks).toString());
      clusters.set(document.runtimeID, document);
      return json(200, answerOf(document.runtimeID));
    }
    const id = searchParams.get('runtimeID') ?? decodeURIComponent(pathname.split('/')[3] ?? '');
    const found = clusters.get(id);
    if (found === undefined) return json(404, { error: `cannot find cluster ${id}` });
    if (request.method === 'DELETE') clusters.delete(id);
    if (!pathname.endsWith('/state')) return json(200, answerOf(id));
    const { runtimeInput, kymaConfig, metadata } = found as Record<string, Record<string, unknown>>;
    return json(200, {
      cluster: { version: 1, runtime: runtimeInput, metadata },
      configuration: {
        version: 1,
        kymaVersion: kymaConfig?.version,
        kymaProfile: kymaConfig?.profile,
        components: kymaConfig?.components,
        administrators: kymaConfig?.administrators,
      },
      status: { status: 'ready' },
    });
  };
}
