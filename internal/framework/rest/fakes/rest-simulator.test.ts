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
