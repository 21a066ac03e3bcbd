import type { ProjectStatus as Status } from '../lib/engine/status';

/** "Complete against grid vN: k of m arrows", with C, the unevaluated ones, which is never hidden (E-5). */
export function ProjectStatus({ project }: { project: Status }) {
  return (
    <span data-testid="project" className="tabular-nums">
      complete against grid v{project.version}: {project.complete} of {project.total}, unevaluated {project.unevaluated}
    </span>
  );
}
