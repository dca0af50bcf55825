/**
 * The functions of isomorphic-git that are used. They take 18 MiB, so import this file on demand, not the package: it is CommonJS, and
 * a bundle gives an import on demand of such a package no names.
 */
export { getRemoteInfo2, listServerRefs } from 'isomorphic-git';
