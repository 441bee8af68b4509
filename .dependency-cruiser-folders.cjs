/** Which way the arrows between folders point: specs, which reach for a lib's fakes and front doors, are left out. */
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'folders-stand-on-each-other',
      comment: 'Of two folders that need each other neither can be read alone.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: [...options.exclude.path, '\\.spec\\.ts$', '^test/'] } },
};
