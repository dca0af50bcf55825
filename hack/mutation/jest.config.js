// The project of the unit tests alone: Stryker's runner reads no list of projects.
import jest from '../../jest.config.js';

const { displayName, ...unit } = jest.projects.find((project) => project.displayName === 'unit') ?? {};

export default { ...unit, rootDir: '../..' };
