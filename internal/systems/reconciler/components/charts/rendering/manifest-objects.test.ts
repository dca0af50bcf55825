import { describe, expect, test } from '@jest/globals';
import { objectsOf } from './manifest-objects.ts';

const object = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;
const namesOf = (text: string) => objectsOf(text, 'a.yaml').map((each) => each.object.metadata.name);

describe('documents of a manifest', () => {
  test.each([
    ['one', object('a'), ['a']],
    ['several', `---\n${object('a')}---\n# comment\n${object('b')}---\n`, ['a', 'b']],
    ['with line breaks of Windows', `${object('a')}---\n${object('b')}`.replaceAll('\n', '\r\n'), ['a', 'b']],
    ['after the end of a document', `${object('a')}...\n${object('b')}`, ['a', 'b']],
    ['with a comment after the separator', `--- # first\n${object('a')}---   \n${object('b')}`, ['a', 'b']],
    ['in flow style beside the separator', `--- {apiVersion: v1, kind: A, metadata: {name: a}}`, ['a']],
    ['empty', '---\n# nothing\n---\n\n---\nnull\n', []],
    [
      'in a List',
      `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n`,
      ['a'],
    ],
    [
      'in lists of kinds',
      `apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBindingList\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n- {metadata: {name: b}}\n`,
      ['a', 'b'],
    ],
    [
      'in a list within a list',
      `kind: List\napiVersion: v1\nitems:\n- {kind: AList, apiVersion: v1, items: [{metadata: {name: a}}]}\n`,
      ['a'],
    ],
    [
      'in lists without items',
      `apiVersion: v1\nkind: SecretList\nitems: []\n---\napiVersion: v1\nkind: List\nitems:\n`,
      [],
    ],
    [
      'of a kind that is no list',
      `apiVersion: v1\nkind: AllowList\nmetadata: {name: a}\nspec: {items: [x]}\n`,
      ['a'],
    ],
    ['with a separator in a text', object('a', 'data:\n  x: |\n    ---\n    y\n'), ['a']],
  ])('%s', (_what, text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  test.each([
    ['a mapping that is not closed', `${object('a')}---\na: {b\n`, /^a\.yaml:[56]: /],
    ['a template that was not rendered', `${object('a')}---\n{{ .Values.x }}: y: z\n`, /^a\.yaml:\d: /],
    ['a tab as indentation', `${object('a')}---\na:\n\tb: 1\n`, /^a\.yaml:6: /],
    ['a text', `${object('a')}---\nonly text\n`, 'a.yaml:4: the document is no object'],
    ['a list', '- 1\n', 'a.yaml:1: the document is no object'],
    ['no kind', 'apiVersion: v1\nmetadata: {name: a}\n', 'a.yaml:1: the object has no kind'],
    ['no name', '\napiVersion: v1\nkind: A\n', 'a.yaml:1: the object has no metadata.name'],
    ['a number as name', 'apiVersion: v1\nkind: A\nmetadata: {name: 5}\n', 'the object has no metadata.name'],
    ['a path as name', object('a/../b'), 'a.yaml:1: metadata.name is no name of an object'],
    ['a long name', object('n'.repeat(254)), 'a.yaml:1: metadata.name is no name of an object'],
    ['a line break in a name', object('"a\\nb"'), 'a.yaml:1: metadata.name is no name of an object'],
    [
      'a path as namespace',
      object('a').replace('a}', 'a, namespace: ../kube-system}'),
      'a.yaml:1: metadata.namespace is no name of a namespace',
    ],
    [
      'a list as namespace',
      object('{name: a, namespace: []}').replace('{name: {', '{').replace('}}', '}'),
      'namespace',
    ],
    [
      'an item of a List that is no object',
      'apiVersion: v1\nkind: List\nitems: [1]\n',
      'the document is no object',
    ],
    ['an anchor bomb', bomb(), /^a\.yaml:1: /],
    ['deep nesting', `a: ${'['.repeat(500)}`, /^a\.yaml:1: /],
  ])('%s is an error with file and line, and not lost', (_what, text, message) => {
    expect(() => objectsOf(text, 'a.yaml')).toThrow(message);
  });

  test.each(['---\n', '...\n', '--- # next\n'])(
    'a block scalar before %p keeps its line break',
    (separator) => {
      const text = `${object('a', 'data:\n  x: |\n    y\n')}${separator}${object('b')}`;
      expect(objectsOf(text, 'a.yaml')[0]?.object).toMatchObject({ data: { x: 'y\n' } });
    },
  );

  test('items without a kind have that of their list', () => {
    const list =
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBindingList\nitems:\n- {metadata: {name: a}}\n';
    const [found] = objectsOf(list, 'a.yaml').map(({ object: each }) => [each.apiVersion, each.kind]);
    expect(found).toEqual(['rbac.authorization.k8s.io/v1', 'RoleBinding']);
  });

  test('scalars are what Go reads', () => {
    const text = object(
      'a',
      'data: {a: yes, b: off, c: 0644, d: 12:30:45, e: 2020-01-01, f: "1", g: 1e3, h: ~, i: 0o17}\n',
    );
    expect(objectsOf(text, 'a.yaml')[0]?.object).toMatchObject({
      data: { a: true, b: false, c: 420, d: '12:30:45', e: '2020-01-01', f: '1', g: 1000, h: null },
    });
  });
});

/** Nine levels of ten aliases each. */
function bomb(): string {
  const levels = ['a: &a [x, x]'];
  for (let level = 1; level < 9; level++) {
    const [name, before] = ['abcdefghi'.charAt(level), 'abcdefghi'.charAt(level - 1)];
    levels.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
  }
  return levels.join('\n');
}
