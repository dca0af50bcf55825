import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, parseAllDocuments } from 'yaml';

/** One document of a YAML file that describes a Kubernetes object. */
export interface KubernetesDocument {
  /** Of the file, relative to the root, with slashes. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly content: unknown;
}

/**
 * The Kubernetes objects in the files that match, by path and position. Empty documents and those that are no objects
 * (Helm values, say) are left out. Throws if a file is no YAML or the pattern matches nothing.
 */
export async function readDocuments(root: string, pattern: string): Promise<KubernetesDocument[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: root })) paths.push(path.replaceAll('\\', '/'));
  if (paths.length === 0) throw new Error(`cannot find ${pattern} in ${root}`);
  const documents: KubernetesDocument[] = [];
  for (const path of paths.sort()) {
    documents.push(...parseDocuments(path, await readFile(join(root, path), 'utf8')));
  }
  return documents;
}

/** @param path for messages */
export function parseDocuments(path: string, text: string): KubernetesDocument[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document: Document.Parsed) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`cannot parse ${path}: ${error.message}`);
    const content: Partial<KubernetesObject> | null = document.toJS();
    const { apiVersion, kind, metadata } = content ?? {};
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
    return [{ path, apiVersion, kind, name: metadata?.name ?? '', content }];
  });
}

interface KubernetesObject {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly metadata?: { readonly name?: string };
}
