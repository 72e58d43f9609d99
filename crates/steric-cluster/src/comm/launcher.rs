//! Who started this process.

/// A process that a launcher of MPI (mpirun, mpiexec, srun) started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Which of its processes this is, from 0.
    pub rank: usize,
    /// How many there are, if the launcher says so.
    pub ranks: Option<usize>,
}

/// Whether a launcher of MPI started this process; asks the environment only, so that a program without MPI knows, too.
///
/// ```
/// if let Some(launched) = steric_cluster::comm::launched()
///     && launched.rank == 0
/// {
///     eprintln!("the first of {:?} processes", launched.ranks);
/// }
/// ```
pub fn launched() -> Option<Launched> {
    launched_by(|name| std::env::var(name).ok())
}

fn launched_by(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.parse().ok();
    let first = |names: &[&str]| names.iter().find_map(|name| number(name));
    // Open MPI, then whatever speaks PMIx (srun, too), then MPICH and Intel MPI.
    let rank = first(&["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"])?;
    let ranks = first(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"]);
    Some(Launched { rank, ranks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Option<Launched> {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
        launched_by(value)
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        let third_of_four = Some(Launched { rank: 2, ranks: Some(4) });
        assert_eq!(
            with(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "2")]),
            third_of_four
        );
        assert_eq!(with(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")]), third_of_four);
        assert_eq!(with(&[("PMIX_RANK", "2"), ("SLURM_STEP_NUM_TASKS", "4")]), third_of_four);
        assert_eq!(with(&[("PMIX_RANK", "0")]), Some(Launched { rank: 0, ranks: None }));
    }

    #[test]
    fn a_batch_script_is_no_launcher() {
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_PROCID", "0")]), None);
        assert_eq!(with(&[("PMI_SIZE", "4"), ("PMI_RANK", "")]), None);
    }
}
