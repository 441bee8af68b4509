/** The files of a new project and of its first workflow, by their paths in its folder. */
export function projectFiles(name: string, title: string): Record<'project' | 'workflow', Record<string, string>> {
  const folder = `.runyard/workflows/${name}`;
  return {
    project: { '.runyard/project.toml': projectToml(title) },
    workflow: { [`${folder}/workflow.toml`]: workflowToml(name), [`${folder}/workflow.dot`]: workflowDot() },
  };
}

function projectToml(title: string): string {
  return `# What holds for every workflow of this project. A workflow.toml wins over it, and what is typed wins over both.
[project]
name = ${JSON.stringify(title)}

[run.metadata] # the labels of its runs, for: runyard ps --label project=…
project = ${JSON.stringify(title)}
`;
}

function workflowToml(name: string): string {
  return `[workflow]
name = ${JSON.stringify(name)}
graph = "workflow.dot"

[run.inputs] # {{ inputs.who }} in the workflow; runyard run ${name} -I who=you
who = "world"
`;
}

function workflowDot(): string {
  return `// Nodes are steps, edges say what comes next.
digraph Workflow {
  goal = "Greet {{ inputs.who }}"

  start [shape=Mdiamond]
  exit [shape=Msquare]

  // A parallelogram runs a script in the folder in which the run is created.
  greet [shape=parallelogram, max_visits=3, script="echo hello, {{ inputs.who }}"]
  breathe [shape=insulator, duration=1s]

  // When the script fails it runs again a second later, three times at most; then the run fails.
  start -> greet
  greet -> breathe [condition="outcome=failed"]
  greet -> exit
  breathe -> greet
}
`;
}
