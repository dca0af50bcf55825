import { expect, test } from '@jest/globals';
import { eventReader, type ObjectEvent } from './record-objects.ts';

test('the events of a watch are read from what kubectl prints, without one that is cut', () => {
  const events = ['ADDED', 'MODIFIED'].map(
    (type): ObjectEvent => ({
      type,
      object: { kind: 'ServiceInstance', metadata: { uid: 'u-1', name: 'orders' } },
    }),
  );
  const text = `${events.map((each) => `${JSON.stringify(each)}\n`).join('')}{"type":"MODI`;
  for (const size of [1, 7, text.length]) {
    const read: ObjectEvent[] = [];
    const take = eventReader((event) => read.push(event));
    for (let i = 0; i < text.length; i += size) take(text.slice(i, i + size));
    expect(read).toEqual(events);
  }
});
