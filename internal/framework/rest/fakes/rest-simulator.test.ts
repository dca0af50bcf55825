import { expect, test } from '@jest/globals';
import type { RestDefinition } from '../definition.ts';
import { startRestSimulator } from './rest-simulator.ts';

const kindOf = (name: string) => {
  const path = `/${name.toLowerCase()}s` as const;
  const definition: RestDefinition = {
    noun: name.toLowerCase(),
    id: { parts: [{ parameter: 'id', from: 'response' }] },
    create: `POST ${path}`,
    read: `GET ${path}/{id}`,
    delete: `DELETE ${path}/{id}`,
    fields: { title: {} },
  };
  const values = { title: 'a' };
  const sample = {
    forProvider: values,
    other: values,
    required: [],
    response: { id: 'x', ...values },
    created: {},
  };
  return { name, definition, sample };
};

const send = async (url: string, method: string, body?: object) => {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};

test('kinds may have the route of their operations in common', async () => {
  const later = {
    ...{ from: { field: 'id' }, read: 'GET /operations/{operation}', state: 'state' },
    ...{ succeeded: ['done'], failed: ['failed'], result: 'reference' },
  } as const;
  const endsLater = (name: string) => {
    const kind = kindOf(name);
    const { create } = kind.definition;
    return {
      ...kind,
      definition: { ...kind.definition, create: { route: create, later } } as RestDefinition,
    };
  };
  const simulator = await startRestSimulator([endsLater('Folder'), endsLater('Note')], { method: 'none' });
  try {
    for (const path of ['/notes', '/folders']) {
      const { body } = await send(`${simulator.url}${path}`, 'POST', { title: 'a' });
      const operation = `${simulator.url}/operations/${body.id}`;
      await send(operation, 'GET');
      const ended = await send(operation, 'GET');
      expect(ended).toMatchObject({ status: 200, body: { state: 'done', reference: { title: 'a' } } });
      expect(await send(`${simulator.url}${path}/${ended.body.reference.id}`, 'GET')).toMatchObject({
        status: 200,
      });
    }
    expect(simulator.requests.filter(({ verb }) => verb === 'operation').map(({ kind }) => kind)).toEqual([
      ...['Note', 'Note', 'Folder', 'Folder'],
    ]);
    expect(await send(`${simulator.url}/operations/99`, 'GET')).toMatchObject({ status: 404 });
  } finally {
    simulator.close();
  }
});

test('kinds may have all routes in common, and differ by a constant', async () => {
  const recordOf = (name: string, type: string) => {
    const { definition, sample } = kindOf(name);
    return {
      name,
      sample: { ...sample, response: { ...sample.response, type } },
      definition: {
        ...definition,
        create: 'POST /records',
        read: { list: 'GET /records' },
        update: 'PUT /records/{id}',
        delete: 'DELETE /records/{id}',
        fields: { title: {}, type: { value: type } },
      } as RestDefinition,
    };
  };
  const simulator = await startRestSimulator([recordOf('Alias', 'CNAME'), recordOf('Address', 'A')], {
    method: 'none',
  });
  try {
    const url = `${simulator.url}/records`;
    await send(url, 'POST', { title: 'a', type: 'A' });
    await send(url, 'POST', { title: 'b', type: 'CNAME' });
    expect([simulator.items('Address').length, simulator.items('Alias').length]).toEqual([1, 1]);
    expect((await send(url, 'GET')).body.map(({ title }: { title: string }) => title).sort()).toEqual([
      'a',
      'b',
    ]);
    await send(`${url}/address-1`, 'PUT', { title: 'c', type: 'A' });
    expect(simulator.items('Address')[0]?.object).toMatchObject({ title: 'c' });
    expect(await send(`${url}/address-1`, 'DELETE')).toMatchObject({ status: 204 });
    expect([simulator.items('Address').length, simulator.items('Alias').length]).toEqual([0, 1]);
  } finally {
    simulator.close();
  }
});

test('the response of create has the ID, also as a connection detail and where read does not return it', async () => {
  const { sample, ...kind } = kindOf('Key');
  const response = { title: 'a' };
  const simulator = await startRestSimulator(
    [{ ...kind, sample: { ...sample, response, created: { id: 'sample', secret: 's' } } }],
    { method: 'none' },
  );
  try {
    const { body } = await send(`${simulator.url}/keys`, 'POST', { title: 'b' });
    expect(body).toEqual({ id: 'key-1', secret: 's', title: 'b' });
    expect(await send(`${simulator.url}/keys/${body.id}`, 'GET')).toEqual({
      status: 200,
      body: { title: 'b' },
    });
  } finally {
    simulator.close();
  }
});

test.each([
  [{ by: 'number', parameter: 'page', sizeParameter: 'size', size: 2 }],
  [{ by: 'number', parameter: 'page', first: 0, sizeParameter: 'size', size: 2 }],
  [{ by: 'offset', parameter: 'skip', sizeParameter: 'size', size: 2 }],
] as const)('a list without the parameter of pages is the first page: %j', async (pages) => {
  const { definition, ...kind } = kindOf('Key');
  const read = { list: 'GET /keys', pages } as const;
  const simulator = await startRestSimulator([{ ...kind, definition: { ...definition, read } }], {
    method: 'none',
  });
  try {
    await send(`${simulator.url}/keys`, 'POST', { title: 'b' });
    expect((await send(`${simulator.url}/keys`, 'GET')).body).toHaveLength(1);
  } finally {
    simulator.close();
  }
});

test('other operations answer with what the document has, for external resources that exist', async () => {
  const { sample, ...kind } = kindOf('Key');
  const responses = { 'GET /keys/{id}/login': { password: 'p' }, 'POST /keys/{id}/rotate': {} };
  const simulator = await startRestSimulator([{ ...kind, sample: { ...sample, responses } }], {
    method: 'none',
  });
  try {
    const url = `${simulator.url}/keys/key-1`;
    expect(await send(`${url}/login`, 'GET')).toMatchObject({ status: 404 });
    await send(`${simulator.url}/keys`, 'POST', { title: 'b' });
    expect(await send(`${url}/login`, 'GET')).toEqual({ status: 200, body: { password: 'p' } });
    expect(await send(`${url}/rotate`, 'POST', {})).toEqual({ status: 200, body: {} });
    expect(simulator.unknown).toEqual([]);
  } finally {
    simulator.close();
  }
});

test('other kinds and another authentication are served by the same API, and external resources stay', async () => {
  const simulator = await startRestSimulator([kindOf('Folder')], { method: 'bearer' });
  try {
    const send = async (path: string, headers: Record<string, string>, body?: string) => {
      const init = body === undefined ? { headers } : { method: 'POST', headers, body };
      const response = await fetch(`${simulator.url}${path}`, init);
      return { status: response.status, body: await response.json() };
    };
    const bearer = { authorization: `Bearer ${simulator.credentials()}` };
    expect(await send('/folders', bearer, '{"title":"b"}')).toMatchObject({ status: 201 });
    expect(await send('/notes', bearer, '{}')).toMatchObject({ status: 404 });

    simulator.serve([kindOf('Folder'), kindOf('Note')], { method: 'api-key', in: 'header', name: 'X-Key' });

    const key = { 'x-key': simulator.credentials() };
    expect(await send('/notes', key, '{}')).toMatchObject({ status: 201 });
    expect(await send('/folders/folder-1', key)).toEqual({
      status: 200,
      body: { id: 'folder-1', title: 'b' },
    });
    expect(await send('/folders/folder-1', bearer)).toMatchObject({ status: 401 });
    expect(simulator.items('Note')).toHaveLength(1);

    simulator.serve([kindOf('Folder')], { method: 'headers', members: { 'X-Key': 'key', 'X-User': 'user' } });

    const { key: value, user } = JSON.parse(simulator.credentials()) as Record<string, string>;
    const both = { 'x-key': `${value}`, 'x-user': `${user}` };
    expect(await send('/folders/folder-1', both)).toMatchObject({ status: 200 });
    expect(await send('/folders/folder-1', { 'x-key': `${value}` })).toMatchObject({ status: 401 });
  } finally {
    simulator.close();
  }
});

test('what was written is pending for some reads, if it has such a state', async () => {
  const kind = kindOf('Folder');
  const ready = { field: 'meta.state', values: ['active'], pending: ['building'] };
  const response = { ...kind.sample.response, meta: { state: 'active' } };
  const definition = { ...kind.definition, update: 'PUT /folders/{id}', ready } as RestDefinition;
  const simulator = await startRestSimulator(
    [{ ...kind, definition, sample: { ...kind.sample, response } }],
    {
      method: 'none',
    },
  );
  simulator.pendingReads = 2;
  const folders = `${simulator.url}/folders`;
  try {
    const { body } = await send(folders, 'POST', { title: 'a' });
    const states = async (count: number) => {
      const found: string[] = [];
      for (let read = 0; read < count; read++)
        found.push((await send(`${folders}/${body.id}`, 'GET')).body.meta.state);
      return found;
    };
    expect(await states(3)).toEqual(['building', 'building', 'active']);
    await send(`${folders}/${body.id}`, 'PUT', { title: 'b' });
    expect(await states(3)).toEqual(['building', 'building', 'active']);
    await send(`${folders}/${body.id}`, 'PUT', { meta: { state: 'failed' } });
    expect(await states(1)).toEqual(['failed']);
  } finally {
    simulator.close();
  }
});
