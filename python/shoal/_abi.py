# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/make_python_abi.py from include/shoal; do not edit.
"""The C interface of Shoal in ctypes: numbers, structs and functions by their C names.

tools/make_python_abi.py says what becomes of pointers; include/shoal explains all of it.
"""

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)

# Numbers.
SHOAL_VERSION = "0.1.0"
SHOAL_VERSION_MAJOR = 0
SHOAL_VERSION_MINOR = 1
SHOAL_VERSION_PATCH = 0
SHOAL_VERSION_NUMBER = 100
SHOAL_TYPE_NAME_SIZE = 16
SHOAL_TYPE_COLUMNS = 4

# shoal_status
SHOAL_OK = 0
SHOAL_E_MEMORY = -1
SHOAL_E_ARGUMENT = -2
SHOAL_E_FORMAT = -3
SHOAL_E_IO = -4
SHOAL_E_DEVICE = -5
SHOAL_E_UNSUPPORTED = -6

# shoal_system_status
SHOAL_SYSTEM_OK = 0
SHOAL_SYSTEM_CONVERGED = 1
SHOAL_SYSTEM_MAX_STEPS = 2
SHOAL_SYSTEM_STALLED = 3
SHOAL_SYSTEM_NOT_FINITE = 4
SHOAL_SYSTEM_OUT_OF_GRID = 5
SHOAL_SYSTEM_UNTYPED = 6
SHOAL_SYSTEM_DIFFERS = 7
SHOAL_SYSTEM_BELOW_SURFACE = 8
SHOAL_SYSTEM_UNREADABLE = 9
SHOAL_SYSTEM_COLLAPSED = 10
SHOAL_SYSTEM_UNSTABLE = 11

# shoal_bond_order
SHOAL_ORDER_UNKNOWN = 0
SHOAL_ORDER_SINGLE = 1
SHOAL_ORDER_DOUBLE = 2
SHOAL_ORDER_TRIPLE = 3
SHOAL_ORDER_AROMATIC = 4
SHOAL_ORDER_QUADRUPLE = 5
SHOAL_ORDER_DATIVE = 9

# shoal_geometry
SHOAL_GEOMETRY_GIVEN = 0
SHOAL_GEOMETRY_NONE = 1
SHOAL_GEOMETRY_FLAT = 2

# shoal_pair_form
SHOAL_FORM_LJ = 0
SHOAL_FORM_LJ8 = 1
SHOAL_FORM_LJ9 = 2
SHOAL_FORM_MORSE = 3
SHOAL_FORM_BUCK = 4
SHOAL_FORM_MORSE6 = 5
SHOAL_FORM_BUCK6 = 6
SHOAL_FORM_EXP6 = 7
SHOAL_FORM_FORMULA = 8
SHOAL_FORM_BUFFERED = 9

# shoal_hbond
SHOAL_HBOND_REPULSION = 0
SHOAL_HBOND_ATTRACTION = 1
SHOAL_HBOND_BOTH = 2
SHOAL_HBOND_NONE = 3

# shoal_coulomb
SHOAL_COULOMB_PLAIN = 0
SHOAL_COULOMB_CLAMP = 1
SHOAL_COULOMB_SMOOTH = 2
SHOAL_COULOMB_DAMPED = 3
SHOAL_COULOMB_ERF = 4
SHOAL_COULOMB_NONE = 5
SHOAL_COULOMB_BUFFERED = 6
SHOAL_COULOMB_BUFFERED_FAR = 7

# shoal_site_kind
SHOAL_SITE_LONE_PAIRS = 0
SHOAL_SITE_BEYOND = 1

# shoal_charge_source
SHOAL_CHARGES_AUTO = 0
SHOAL_CHARGES_NONE = 1
SHOAL_CHARGES_FILE = 2
SHOAL_CHARGES_QEQ = 3
SHOAL_CHARGES_MMFF94 = 4
SHOAL_CHARGES_TYPES = 5
SHOAL_CHARGES_QEQ_MOLECULES = 6
SHOAL_N_CHARGE_SOURCES = 7

# enum
SHOAL_TERM_BOND = 0
SHOAL_TERM_ANGLE = 1
SHOAL_TERM_TORSION = 2
SHOAL_TERM_INVERSION = 3
SHOAL_TERM_VDW = 4
SHOAL_TERM_COULOMB = 5
SHOAL_TERM_SURFACE = 6
SHOAL_TERM_RESTRAINT = 7
SHOAL_TERM_SIGMA_PI = 8
SHOAL_TERM_PI_PI = 9

# enum
SHOAL_KIND_BOND = 0
SHOAL_KIND_ANGLE = 1
SHOAL_KIND_TORSION = 2
SHOAL_KIND_INVERSION = 3
SHOAL_KIND_PAIR_VDW = 4
SHOAL_KIND_PAIR_COULOMB = 5
SHOAL_KIND_PAIR_FORM = 6
SHOAL_KIND_HALF_ANGLE = 7
SHOAL_KIND_SIGMA_PI = 8
SHOAL_KIND_PI_PI = 9
SHOAL_KIND_GUARD = 10
SHOAL_KIND_RANGE = 11
SHOAL_KIND_VOLUME = 12
SHOAL_KIND_QUARTIC_BOND = 13
SHOAL_KIND_BEND = 14
SHOAL_KIND_WILSON = 15
SHOAL_KIND_FOURIER = 16
SHOAL_KIND_PAIR_BUFFERED = 17
SHOAL_KIND_PERIODIC = 18

# enum
SHOAL_BOND_K = 0
SHOAL_BOND_R0 = 1
SHOAL_BOND_ORDER = 2
SHOAL_ANGLE_K = 0
SHOAL_ANGLE_C0 = 1
SHOAL_ANGLE_GUARD = 6
SHOAL_ANGLE_GUARD_FROM = 7
SHOAL_TORSION_V = 0
SHOAL_TORSION_D = 1
SHOAL_TORSION_N = 2
SHOAL_INVERSION_K = 0
SHOAL_INVERSION_C0 = 1
SHOAL_PAIR_SCALE = 0
SHOAL_PAIR_X = 1
SHOAL_PAIR_D = 2
SHOAL_FORM_FAMILY = 0
SHOAL_FORM_A = 1
SHOAL_FORM_B = 2
SHOAL_FORM_K = 3
SHOAL_FORM_BETA = 4
SHOAL_HALF_K = 0
SHOAL_HALF_T0 = 1
SHOAL_SIGMA_K = 0
SHOAL_SIGMA_C0 = 1
SHOAL_PI_K = 0
SHOAL_PI_SOFT = 1
SHOAL_GUARD_K = 0
SHOAL_GUARD_FROM = 1
SHOAL_RANGE_K = 0
SHOAL_RANGE_LOWER = 1
SHOAL_RANGE_UPPER = 2
SHOAL_VOLUME_K = 0
SHOAL_VOLUME_LOW = 1
SHOAL_VOLUME_HIGH = 2
SHOAL_QUARTIC_C = 3
SHOAL_BEND_K = 0
SHOAL_BEND_T0 = 1
SHOAL_BEND_C = 2
SHOAL_BEND_KI = 3
SHOAL_BEND_KK = 4
SHOAL_BEND_RI = 5
SHOAL_BEND_RK = 6
SHOAL_WILSON_K = 0
SHOAL_FOURIER_V1 = 0
SHOAL_BUFFERED_SCALE = 0
SHOAL_BUFFERED_DELTA = 1
SHOAL_BUFFERED_N = 2
SHOAL_PERIODIC_K = 0
SHOAL_PERIODIC_N = 1
SHOAL_PERIODIC_PHASE = 2

# enum
SHOAL_TERM_ATOMS = 4
SHOAL_TERM_PARAMETERS = 8

# shoal_dialect
SHOAL_DIALECT_RDKIT = 0
SHOAL_DIALECT_PAPER = 1
SHOAL_DIALECT_FIRECORE = 2

# shoal_forcefield
SHOAL_FORCEFIELD_UFF = 0
SHOAL_FORCEFIELD_MMFFSP3 = 1
SHOAL_FORCEFIELD_MMFF94 = 2
SHOAL_FORCEFIELD_MMFF94S = 3
SHOAL_FORCEFIELD_UFF4MOF = 4
SHOAL_N_FORCEFIELDS = 5

# shoal_restraint_kind
SHOAL_RESTRAINT_POSITION = 0
SHOAL_RESTRAINT_DISTANCE = 1
SHOAL_RESTRAINT_ANGLE = 2
SHOAL_RESTRAINT_TORSION = 3
SHOAL_RESTRAINT_CENTRE = 4

# enum
SHOAL_FREE_X = 1
SHOAL_FREE_Y = 2
SHOAL_FREE_Z = 4

# shoal_mesh_unit
SHOAL_MESH_UNIT_USUAL = 0
SHOAL_MESH_EV = 1
SHOAL_MESH_HARTREE = 2
SHOAL_MESH_RYDBERG = 3

# shoal_surface_form
SHOAL_SURFACE_LJ = 0
SHOAL_SURFACE_MORSE = 1

# enum
SHOAL_CHANNEL_P = 0
SHOAL_CHANNEL_L = 1
SHOAL_CHANNEL_Q = 2
SHOAL_CHANNEL_ACCEPTOR = 3
SHOAL_CHANNEL_DONOR = 4
SHOAL_CHANNEL_KINDS = 5
SHOAL_N_KINDS = 16
SHOAL_N_CHANNELS = 35

# shoal_metals
SHOAL_METALS_ADSORPTION = 0
SHOAL_METALS_UFF = 1

# shoal_slab_kind
SHOAL_SLAB_ROCKSALT = 0
SHOAL_SLAB_FCC100 = 1
SHOAL_SLAB_FCC111 = 2
SHOAL_SLAB_GRAPHENE = 3
SHOAL_SLAB_FCC110 = 4
SHOAL_SLAB_BCC100 = 5
SHOAL_SLAB_BCC110 = 6
SHOAL_SLAB_BCC111 = 7
SHOAL_SLAB_HCP0001 = 8
SHOAL_SLAB_ROCKSALT110 = 9
SHOAL_SLAB_FLUORITE111 = 10
SHOAL_SLAB_FLUORITE110 = 11
SHOAL_SLAB_BORON_NITRIDE = 12
SHOAL_N_SLABS = 13

# enum
SHOAL_GRID_LEVELS = 12

# enum
SHOAL_GRID_BANDS = 8
SHOAL_GRID_PROBES = 4

# shoal_mixing
SHOAL_MIXING_DEFAULT = 0
SHOAL_MIXING_ARITHMETIC = 1
SHOAL_MIXING_GEOMETRIC = 2

# shoal_ewald
SHOAL_EWALD_AUTO = 0
SHOAL_EWALD_PLAIN = 1
SHOAL_EWALD_MESH = 2

# shoal_precision
SHOAL_PRECISION_AUTO = 0
SHOAL_PRECISION_FLOAT = 1
SHOAL_PRECISION_DOUBLE = 2

# shoal_method
SHOAL_METHOD_LBFGS = 0
SHOAL_METHOD_FIRE = 1

# shoal_cell
SHOAL_CELL_FIXED = 0
SHOAL_CELL_FULL = 1
SHOAL_CELL_SHAPE = 2
SHOAL_CELL_VOLUME = 3
SHOAL_CELL_XY = 4
SHOAL_CELL_LENGTHS = 5

# shoal_format
SHOAL_FORMAT_AUTO = 0
SHOAL_FORMAT_XYZ = 1
SHOAL_FORMAT_SDF = 2
SHOAL_FORMAT_MOL2 = 3
SHOAL_FORMAT_NONE = 4
SHOAL_FORMAT_HDF5 = 5
SHOAL_FORMAT_SMILES = 6
SHOAL_FORMAT_CIF = 7
SHOAL_FORMAT_POSCAR = 8
SHOAL_FORMAT_PDB = 9
SHOAL_FORMAT_TABLE = 10

# shoal_job
SHOAL_JOB_READ = 0
SHOAL_JOB_TYPE = 1
SHOAL_JOB_ENERGY = 2
SHOAL_JOB_RELAX = 3
SHOAL_JOB_MD = 4
SHOAL_JOB_MODES = 5

# shoal_stage
SHOAL_STAGE_READ = 0
SHOAL_STAGE_PARSE = 1
SHOAL_STAGE_TYPE = 2
SHOAL_STAGE_PACK = 3
SHOAL_STAGE_COMPUTE = 4
SHOAL_STAGE_FORMAT = 5
SHOAL_STAGE_WRITE = 6
SHOAL_STAGE_RELEASE = 7
SHOAL_N_STAGES = 8

# shoal_orientation
SHOAL_ORIENT_AS_IS = 0
SHOAL_ORIENT_FLAT = 1
SHOAL_ORIENT_UPRIGHT = 2

# shoal_verdict
SHOAL_VERDICT_MINIMUM = 0
SHOAL_VERDICT_SADDLE = 1
SHOAL_VERDICT_NOT_STATIONARY = 2

# enum
SHOAL_LONE_OWN_ATOMS = 1
SHOAL_LONE_IMAGES = 2

# shoal_bench_what
SHOAL_BENCH_EVAL = 0
SHOAL_BENCH_RELAX = 1
SHOAL_BENCH_CONVERGE = 2
SHOAL_BENCH_MD = 3
SHOAL_BENCH_LANGEVIN = 4
SHOAL_BENCH_TYPING = 5
SHOAL_BENCH_GRID = 6
SHOAL_BENCH_ENGINE = 7
SHOAL_N_BENCHES = 8

# shoal_bench_phase
SHOAL_PHASE_CREATE = 0
SHOAL_PHASE_FIRST_EVAL = 1
SHOAL_PHASE_EVAL = 2
SHOAL_PHASE_FIRST_RELAX = 3
SHOAL_PHASE_RELAX = 4
SHOAL_PHASE_READ = 5
SHOAL_PHASE_DESTROY = 6
SHOAL_N_PHASES = 7

# shoal_check_way
SHOAL_CHECK_SYSTEMS = 0
SHOAL_CHECK_TERMS = 1
SHOAL_CHECK_STEPS = 2

# shoal_device_type
SHOAL_DEVICE_CPU = 0
SHOAL_DEVICE_GPU = 1
SHOAL_DEVICE_ACCELERATOR = 2
SHOAL_DEVICE_OTHER = 3

# shoal_health
SHOAL_HEALTH_FINE = 0
SHOAL_HEALTH_NOTE = 1
SHOAL_HEALTH_WARNING = 2
SHOAL_HEALTH_BROKEN = 3

# enum
SHOAL_MOVER_SIZE = 48

# enum
SHOAL_PART_COULOMB = 0
SHOAL_PART_VDW = 1
SHOAL_PART_HBOND = 2
SHOAL_PART_SITE = 3
SHOAL_N_PARTS = 4

# shoal_fit_method
SHOAL_FIT_LM = 0
SHOAL_FIT_LBFGS = 1
SHOAL_FIT_FIRE = 2

# shoal_errors_by
SHOAL_ERRORS_BY_SET = 0
SHOAL_ERRORS_BY_GROUP = 1
SHOAL_ERRORS_BY_X0 = 2
SHOAL_ERRORS_BY_DIMER = 3

# shoal_thermostat
SHOAL_THERMOSTAT_NONE = 0
SHOAL_THERMOSTAT_LANGEVIN = 1
SHOAL_THERMOSTAT_NOSE_HOOVER = 2

# shoal_rows
SHOAL_ROWS_ATOMS = 0
SHOAL_ROWS_SYSTEMS = 1
SHOAL_ROWS_RESTRAINTS = 2
SHOAL_ROWS_TOPOLOGY_ATOMS = 3
SHOAL_ROWS_TERMS = 4

# shoal_number
SHOAL_NUMBER_DOUBLE = 0
SHOAL_NUMBER_INT = 1
SHOAL_NUMBER_BYTE = 2

# shoal_output_kind
SHOAL_OUTPUT_TEXT = 0
SHOAL_OUTPUT_MOLECULES = 1
SHOAL_OUTPUT_CSV = 2
SHOAL_OUTPUT_HDF5 = 3
SHOAL_OUTPUT_FF_TABLE = 4

# shoal_run_event
SHOAL_RUN_NOTE = 0
SHOAL_RUN_RESUMED = 1
SHOAL_RUN_WARNING = 2
SHOAL_RUN_FAILED = 3
SHOAL_RUN_STOPPED = 4

# shoal_coordinate_kind
SHOAL_COORDINATE_DISTANCE = 0
SHOAL_COORDINATE_ANGLE = 1
SHOAL_COORDINATE_TORSION = 2
SHOAL_COORDINATE_X = 3
SHOAL_COORDINATE_Y = 4
SHOAL_COORDINATE_Z = 5
SHOAL_COORDINATE_RX = 6
SHOAL_COORDINATE_RY = 7
SHOAL_COORDINATE_RZ = 8
SHOAL_COORDINATE_VOLUME = 9
SHOAL_N_COORDINATES = 10

# shoal_column_type
SHOAL_COLUMN_INT8 = 0
SHOAL_COLUMN_UINT8 = 1
SHOAL_COLUMN_INT16 = 2
SHOAL_COLUMN_INT32 = 3
SHOAL_COLUMN_INT64 = 4
SHOAL_COLUMN_FLOAT64 = 5
SHOAL_COLUMN_TEXT8 = 6
SHOAL_COLUMN_TEXT24 = 7

# shoal_exclusions
SHOAL_EXCLUDE_BONDS_AND_ANGLES = 0
SHOAL_EXCLUDE_NAMED = 1

# shoal_unit
SHOAL_UNIT_KCAL_PER_MOL = 0
SHOAL_UNIT_BOLTZMANN = 1
SHOAL_UNIT_DEGREE = 2
SHOAL_UNIT_HARTREE = 3
SHOAL_UNIT_BOHR = 4
SHOAL_UNIT_COULOMB = 5
SHOAL_UNIT_GIGAPASCAL = 6

# Structs; their fields come below, as they may point to each other.


class shoal_atom_type(Structure):
    __slots__ = ()


class shoal_json(Structure):
    __slots__ = ()


class shoal_bond(Structure):
    __slots__ = ()


class shoal_perceive_options(Structure):
    __slots__ = ()


class shoal_qeq_options(Structure):
    __slots__ = ()


class shoal_site_rule(Structure):
    __slots__ = ()


class shoal_charge_increment(Structure):
    __slots__ = ()


class shoal_pair_constant(Structure):
    __slots__ = ()


class shoal_pair_settings(Structure):
    __slots__ = ()


class shoal_term(Structure):
    __slots__ = ()


class shoal_term_kind(Structure):
    __slots__ = ()


class shoal_image(Structure):
    __slots__ = ()


class shoal_special_pair(Structure):
    __slots__ = ()


class shoal_site(Structure):
    __slots__ = ()


class shoal_topology_view(Structure):
    __slots__ = ()


class shoal_bond_override(Structure):
    __slots__ = ()


class shoal_typing_options(Structure):
    __slots__ = ()


class shoal_restraint(Structure):
    __slots__ = ()


class shoal_system(Structure):
    __slots__ = ()


class shoal_mesh_options(Structure):
    __slots__ = ()


class shoal_mesh_view(Structure):
    __slots__ = ()


class shoal_element_charge(Structure):
    __slots__ = ()


class shoal_surface_options(Structure):
    __slots__ = ()


class shoal_surface_view(Structure):
    __slots__ = ()


class shoal_probe(Structure):
    __slots__ = ()


class shoal_adatom(Structure):
    __slots__ = ()


class shoal_slab_options(Structure):
    __slots__ = ()


class shoal_grid_errors(Structure):
    __slots__ = ()


class shoal_grid_options(Structure):
    __slots__ = ()


class shoal_grid_plan(Structure):
    __slots__ = ()


class shoal_grid_choice(Structure):
    __slots__ = ()


class shoal_grid_level(Structure):
    __slots__ = ()


class shoal_grid_source(Structure):
    __slots__ = ()


class shoal_grid_view(Structure):
    __slots__ = ()


class shoal_grid_sample(Structure):
    __slots__ = ()


class shoal_grid_report(Structure):
    __slots__ = ()


class shoal_grid_request(Structure):
    __slots__ = ()


class shoal_grid_settled(Structure):
    __slots__ = ()


class shoal_engine_options(Structure):
    __slots__ = ()


class shoal_plan(Structure):
    __slots__ = ()


class shoal_relax_frame(Structure):
    __slots__ = ()


class shoal_relax_options(Structure):
    __slots__ = ()


class shoal_progress(Structure):
    __slots__ = ()


class shoal_result(Structure):
    __slots__ = ()


class shoal_engine_results_view(Structure):
    __slots__ = ()


class shoal_term_row(Structure):
    __slots__ = ()


class shoal_field(Structure):
    __slots__ = ()


class shoal_read_options(Structure):
    __slots__ = ()


class shoal_frame(Structure):
    __slots__ = ()


class shoal_choice(Structure):
    __slots__ = ()


class shoal_conformers(Structure):
    __slots__ = ()


class shoal_ensemble(Structure):
    __slots__ = ()


class shoal_stream_system(Structure):
    __slots__ = ()


class shoal_sink(Structure):
    __slots__ = ()


class shoal_stream_progress(Structure):
    __slots__ = ()


class shoal_peers(Structure):
    __slots__ = ()


class shoal_type_override(Structure):
    __slots__ = ()


class shoal_variants(Structure):
    __slots__ = ()


class shoal_placement(Structure):
    __slots__ = ()


class shoal_record(Structure):
    __slots__ = ()


class shoal_stream_input(Structure):
    __slots__ = ()


class shoal_stream_resume(Structure):
    __slots__ = ()


class shoal_stream_typing(Structure):
    __slots__ = ()


class shoal_stream_build(Structure):
    __slots__ = ()


class shoal_stream_constraints(Structure):
    __slots__ = ()


class shoal_stream_compute(Structure):
    __slots__ = ()


class shoal_stream_output(Structure):
    __slots__ = ()


class shoal_stream_options(Structure):
    __slots__ = ()


class shoal_modes_options(Structure):
    __slots__ = ()


class shoal_thermo(Structure):
    __slots__ = ()


class shoal_modes_result(Structure):
    __slots__ = ()


class shoal_modes_film(Structure):
    __slots__ = ()


class shoal_band(Structure):
    __slots__ = ()


class shoal_band_move(Structure):
    __slots__ = ()


class shoal_band_ends(Structure):
    __slots__ = ()


class shoal_band_options(Structure):
    __slots__ = ()


class shoal_band_result(Structure):
    __slots__ = ()


class shoal_band_verdict(Structure):
    __slots__ = ()


class shoal_comparison(Structure):
    __slots__ = ()


class shoal_bench_case(Structure):
    __slots__ = ()


class shoal_bench_options(Structure):
    __slots__ = ()


class shoal_bench_check(Structure):
    __slots__ = ()


class shoal_bench_counts(Structure):
    __slots__ = ()


class shoal_bench_life(Structure):
    __slots__ = ()


class shoal_bench_figures(Structure):
    __slots__ = ()


class shoal_bench_files_options(Structure):
    __slots__ = ()


class shoal_bench_files_result(Structure):
    __slots__ = ()


class shoal_row_style(Structure):
    __slots__ = ()


class shoal_checked(Structure):
    __slots__ = ()


class shoal_check_options(Structure):
    __slots__ = ()


class shoal_check_counts(Structure):
    __slots__ = ()


class shoal_check_term(Structure):
    __slots__ = ()


class shoal_checked_interaction(Structure):
    __slots__ = ()


class shoal_set_info(Structure):
    __slots__ = ()


class shoal_sample_info(Structure):
    __slots__ = ()


class shoal_device_info(Structure):
    __slots__ = ()


class shoal_doctor_row(Structure):
    __slots__ = ()


class shoal_doctor_options(Structure):
    __slots__ = ()


class shoal_elastic(Structure):
    __slots__ = ()


class shoal_fit_options(Structure):
    __slots__ = ()


class shoal_dof_info(Structure):
    __slots__ = ()


class shoal_fit_run_options(Structure):
    __slots__ = ()


class shoal_fit_result(Structure):
    __slots__ = ()


class shoal_fit_restart(Structure):
    __slots__ = ()


class shoal_cv_options(Structure):
    __slots__ = ()


class shoal_cv_fold(Structure):
    __slots__ = ()


class shoal_cv_dimer(Structure):
    __slots__ = ()


class shoal_cv_result(Structure):
    __slots__ = ()


class shoal_bootstrap_options(Structure):
    __slots__ = ()


class shoal_derivative_check(Structure):
    __slots__ = ()


class shoal_derivative_options(Structure):
    __slots__ = ()


class shoal_scan_point(Structure):
    __slots__ = ()


class shoal_fit_speed(Structure):
    __slots__ = ()


class shoal_fit_scan(Structure):
    __slots__ = ()


class shoal_bonded_options(Structure):
    __slots__ = ()


class shoal_bonded_parameter(Structure):
    __slots__ = ()


class shoal_bonded_result(Structure):
    __slots__ = ()


class shoal_prepare_options(Structure):
    __slots__ = ()


class shoal_prepare_result(Structure):
    __slots__ = ()


class shoal_label_difference(Structure):
    __slots__ = ()


class shoal_label_check(Structure):
    __slots__ = ()


class shoal_error_summary(Structure):
    __slots__ = ()


class shoal_error_row(Structure):
    __slots__ = ()


class shoal_strong_pair(Structure):
    __slots__ = ()


class shoal_md_system(Structure):
    __slots__ = ()


class shoal_md_options(Structure):
    __slots__ = ()


class shoal_md_result(Structure):
    __slots__ = ()


class shoal_motion(Structure):
    __slots__ = ()


class shoal_array(Structure):
    __slots__ = ()


class shoal_merge_report(Structure):
    __slots__ = ()


class shoal_jitter(Structure):
    __slots__ = ()


class shoal_need(Structure):
    __slots__ = ()


class shoal_results_what(Structure):
    __slots__ = ()


class shoal_results_header(Structure):
    __slots__ = ()


class shoal_run_output(Structure):
    __slots__ = ()


class shoal_run_counts(Structure):
    __slots__ = ()


class shoal_run_result(Structure):
    __slots__ = ()


class shoal_run_options(Structure):
    __slots__ = ()


class shoal_coordinate(Structure):
    __slots__ = ()


class shoal_scan_options(Structure):
    __slots__ = ()


class shoal_scan_minimum(Structure):
    __slots__ = ()


class shoal_scan_figure(Structure):
    __slots__ = ()


class shoal_equation_of_state(Structure):
    __slots__ = ()


class shoal_scan_summary_options(Structure):
    __slots__ = ()


class shoal_search_options(Structure):
    __slots__ = ()


class shoal_search_counts(Structure):
    __slots__ = ()


class shoal_polish_options(Structure):
    __slots__ = ()


class shoal_minimum(Structure):
    __slots__ = ()


class shoal_minima_style(Structure):
    __slots__ = ()


class shoal_column(Structure):
    __slots__ = ()


class shoal_tip_options(Structure):
    __slots__ = ()


class shoal_tip_view(Structure):
    __slots__ = ()


class shoal_tip_oscillator(Structure):
    __slots__ = ()


class shoal_atom_parameters(Structure):
    __slots__ = ()


# Types of functions.
shoal_grid_monitor = CFUNCTYPE(c_bool, c_void_p, c_double)
shoal_monitor = CFUNCTYPE(c_bool, c_void_p, POINTER(shoal_progress))
shoal_term_visitor = CFUNCTYPE(None, c_void_p, POINTER(shoal_term_row))
shoal_fit_monitor = CFUNCTYPE(c_bool, c_void_p, c_int32, c_double)
shoal_fit_stop = CFUNCTYPE(c_bool, c_void_p)
shoal_fit_note = CFUNCTYPE(None, c_void_p, c_char_p)
shoal_output_entry = CFUNCTYPE(c_int, c_void_p, c_int64, c_void_p)
shoal_qeq_options_stop = CFUNCTYPE(c_bool, c_void_p)
shoal_grid_request_tell = CFUNCTYPE(None, c_void_p, c_char_p)
shoal_relax_options_frame = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_relax_frame))
shoal_choice_choose = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_stream_system), c_int32)
shoal_sink_format = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_stream_system), c_void_p)
shoal_sink_write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
shoal_sink_step = CFUNCTYPE(
    c_int,
    c_void_p,
    POINTER(shoal_stream_system),
    POINTER(shoal_relax_frame),
    c_void_p,
)
shoal_peers_send = CFUNCTYPE(c_int, c_void_p, c_int32, c_void_p, c_size_t)
shoal_peers_receive = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)
shoal_variants_make = CFUNCTYPE(
    c_int,
    c_void_p,
    POINTER(shoal_stream_system),
    POINTER(shoal_stream_system),
    c_int32,
    c_void_p,
    POINTER(shoal_restraint),
)
shoal_variants_again = CFUNCTYPE(
    c_int,
    c_void_p,
    POINTER(shoal_stream_system),
    c_int32,
    c_int32,
    c_void_p,
    POINTER(shoal_restraint),
    c_void_p,
)
shoal_stream_output_visit = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_stream_system), c_int32)
shoal_stream_output_monitor = CFUNCTYPE(c_bool, c_void_p, POINTER(shoal_stream_progress))
shoal_check_options_tell = CFUNCTYPE(None, c_void_p, POINTER(shoal_checked))
shoal_doctor_options_tell = CFUNCTYPE(None, c_void_p, POINTER(shoal_doctor_row))
shoal_md_options_frame = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_relax_frame))
shoal_run_output_put = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_stream_system), c_void_p)
shoal_run_output_take = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)
shoal_run_output_replay = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
shoal_run_options_frame = CFUNCTYPE(
    c_int,
    c_void_p,
    POINTER(shoal_stream_system),
    c_int,
    POINTER(shoal_frame),
)
shoal_run_options_show = CFUNCTYPE(None, c_void_p, POINTER(shoal_stream_system))
shoal_run_options_code = CFUNCTYPE(c_int32, c_void_p, POINTER(shoal_run_result), c_int)
shoal_run_options_conclude = CFUNCTYPE(c_int, c_void_p, POINTER(shoal_run_result))
shoal_run_options_tell = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
shoal_scan_summary_options_tell = CFUNCTYPE(None, c_void_p, c_char_p)
shoal_polish_options_monitor = CFUNCTYPE(c_bool, c_void_p, POINTER(shoal_stream_progress))
shoal_polish_options_tell = CFUNCTYPE(None, c_void_p, c_char_p)

shoal_atom_type._fields_ = [
    ("name", c_char * SHOAL_TYPE_NAME_SIZE),
    ("parent", c_char * SHOAL_TYPE_NAME_SIZE),
    ("element", c_char * SHOAL_TYPE_NAME_SIZE),
    ("epair", c_char * SHOAL_TYPE_NAME_SIZE),
    ("valence", c_int32),
    ("n_epair", c_int32),
    ("n_pi", c_int32),
    ("sym", c_int32),
    ("r_covalent", c_double),
    ("r", c_double),
    ("e", c_double),
    ("q", c_double),
    ("h", c_double),
]

shoal_json._fields_ = [
    ("text", c_void_p),
    ("comma", c_bool),
    ("no_memory", c_bool),
]

shoal_bond._fields_ = [
    ("i", c_int32),
    ("j", c_int32),
    ("shift", c_int32 * 3),
    ("order", c_int32),
    ("aromatic", c_bool),
    ("conjugated", c_bool),
    ("shared", c_double),
]

shoal_perceive_options._fields_ = [
    ("bond_scale", c_double),
    ("bond_slack", c_double),
    ("rebuild_bonds", c_bool),
    ("total_charge", c_int32),
    ("has_total_charge", c_bool),
]

shoal_qeq_options._fields_ = [
    ("total_charge", c_double),
    ("max_rounds", c_int32),
    ("tolerance", c_double),
    ("n_threads", c_int32),
    ("stop", shoal_qeq_options_stop),
    ("user", c_void_p),
]

shoal_site_rule._fields_ = [
    ("host", c_char * SHOAL_TYPE_NAME_SIZE),
    ("site", c_char * SHOAL_TYPE_NAME_SIZE),
    ("kind", c_int),
    ("n", c_int32),
    ("distance", c_double),
]

shoal_charge_increment._fields_ = [
    ("from", c_char * SHOAL_TYPE_NAME_SIZE),
    ("to", c_char * SHOAL_TYPE_NAME_SIZE),
    ("value", c_double),
]

shoal_pair_constant._fields_ = [
    ("name", c_char * 32),
    ("value", c_double),
]

shoal_pair_settings._fields_ = [
    ("form", c_int),
    ("alpha", c_double),
    ("hbond", c_int),
    ("coulomb", c_int),
    ("coulomb_damping", c_double),
    ("lambda", c_double),
    ("radius_charge", c_double),
    ("dispersion_damping", c_double),
    ("vdw_14", c_double),
    ("coulomb_14", c_double),
    ("formula", c_char_p),
    ("constants", POINTER(shoal_pair_constant)),
    ("n_constants", c_int32),
    ("columns", c_char_p),
    ("n_columns", c_int32),
    ("sites", POINTER(shoal_site_rule)),
    ("n_sites", c_int32),
    ("increments", POINTER(shoal_charge_increment)),
    ("n_increments", c_int32),
    ("charged_types", c_char_p),
    ("n_charged_types", c_int32),
    ("all_charged", c_bool),
    ("neutral", c_bool),
    ("charges", c_int),
    ("is_table", c_bool),
]

shoal_term._fields_ = [
    ("kind", c_int32),
    ("atoms", c_int32 * SHOAL_TERM_ATOMS),
    ("shifts", (c_int32 * 3) * SHOAL_TERM_ATOMS),
    ("p", c_double * SHOAL_TERM_PARAMETERS),
]

shoal_term_kind._fields_ = [
    ("name", c_char_p),
    ("term", c_int32),
    ("n_atoms", c_int32),
    ("directions", c_uint32),
    ("n_parameters", c_int32),
    ("parameters", c_char_p),
    ("units", c_char_p),
    ("value", c_char_p),
    ("value_unit", c_char_p),
    ("formula", c_char_p),
]

shoal_image._fields_ = [
    ("atom", c_int32),
    ("shift", c_int32 * 3),
]

shoal_special_pair._fields_ = [
    ("i", c_int32),
    ("j", c_int32),
    ("shift", c_int32 * 3),
    ("vdw_scale", c_double),
    ("coulomb_scale", c_double),
    ("x", c_double),
    ("d", c_double),
]

shoal_site._fields_ = [
    ("host", c_int32),
    ("from", c_int32 * 3),
    ("to", c_int32 * 3),
    ("shift", (c_int32 * 3) * 3),
    ("x", c_double * 3),
    ("y", c_double * 3),
    ("local", c_double * 3),
]

shoal_topology_view._fields_ = [
    ("n_atoms", c_int32),
    ("n_terms", c_int32),
    ("terms", POINTER(shoal_term)),
    ("term_start", c_void_p),
    ("elements", c_void_p),
    ("types", POINTER(c_char_p)),
    ("masses", c_void_p),
    ("vdw_x", c_void_p),
    ("vdw_d", c_void_p),
    ("charges", c_void_p),
    ("has_charges", c_bool),
    ("charges_from", c_int),
    ("hbonds", c_void_p),
    ("exclude_start", c_void_p),
    ("excluded", POINTER(shoal_image)),
    ("special_pairs", POINTER(shoal_special_pair)),
    ("n_special_pairs", c_int32),
    ("pbc", c_bool * 3),
    ("model", c_void_p),
    ("sites", POINTER(shoal_site)),
    ("n_sites", c_int32),
    ("n_pairs", c_int32),
    ("n_directions", c_int32),
    ("direction_atoms", c_void_p),
    ("inertias", c_void_p),
    ("table_types", c_void_p),
]

shoal_bond_override._fields_ = [
    ("i", c_int32),
    ("j", c_int32),
    ("order", c_double),
]

shoal_typing_options._fields_ = [
    ("forcefield", c_int),
    ("dialect", c_int),
    ("charges", c_int),
    ("orders", POINTER(shoal_bond_override)),
    ("n_orders", c_int32),
    ("model", c_void_p),
    ("qeq", POINTER(shoal_qeq_options)),
    ("no_angle_guard", c_bool),
    ("electron_pairs", c_bool),
    ("bond_scale", c_double),
    ("pi_inertia", c_double),
    ("pi_softening", c_double),
    ("far_dielectric", c_bool),
    ("table", c_void_p),
    ("topology", c_void_p),
]

shoal_restraint._fields_ = [
    ("kind", c_int),
    ("atoms", c_int32 * 4),
    ("k", c_double),
    ("value", c_double),
    ("target", c_double * 3),
]

shoal_system._fields_ = [
    ("topology", c_void_p),
    ("pos", c_void_p),
    ("cell", c_void_p),
    ("fixed", c_void_p),
    ("restraints", POINTER(shoal_restraint)),
    ("n_restraints", c_int32),
    ("bodies", c_void_p),
]

shoal_mesh_options._fields_ = [
    ("unit", c_int),
    ("of_electron", c_bool),
    ("repeats", c_bool),
    ("x_fastest", c_bool),
    ("cell", (c_double * 3) * 3),
    ("shift", c_double * 3),
]

shoal_mesh_view._fields_ = [
    ("name", c_char_p),
    ("shape", c_int32 * 3),
    ("origin", c_double * 3),
    ("cell", (c_double * 3) * 3),
    ("repeats", c_bool),
    ("values", c_void_p),
    ("rounding", c_double),
    ("n_atoms", c_int32),
    ("elements", c_void_p),
    ("pos", c_void_p),
]

shoal_element_charge._fields_ = [
    ("z", c_int32),
    ("charge", c_double),
]

shoal_surface_options._fields_ = [
    ("form", c_int),
    ("alpha", c_double),
    ("damping", c_double),
    ("no_hbonds", c_bool),
    ("types", c_void_p),
    ("charges", POINTER(shoal_element_charge)),
    ("n_charges", c_int32),
    ("model", c_void_p),
    ("metals", c_int),
]

shoal_surface_view._fields_ = [
    ("n_atoms", c_int32),
    ("elements", c_void_p),
    ("pos", c_void_p),
    ("radius", c_void_p),
    ("depth", c_void_p),
    ("charges", c_void_p),
    ("hbond", c_void_p),
    ("cell", (c_double * 2) * 2),
    ("area", c_double),
    ("top", c_double),
    ("bottom", c_double),
    ("floor", c_double),
    ("form", c_int),
    ("alpha", c_double),
    ("damping", c_double),
    ("has_channel", c_bool * SHOAL_N_CHANNELS),
    ("hash", c_uint64),
    ("pairs", POINTER(shoal_pair_settings)),
    ("metals", c_char_p),
]

shoal_probe._fields_ = [
    ("radius", c_double),
    ("depth", c_double),
    ("charge", c_double),
    ("hbond", c_double),
]

shoal_adatom._fields_ = [
    ("z", c_int32),
    ("at", c_double * 2),
    ("height", c_double),
    ("charge", c_double),
]

shoal_slab_options._fields_ = [
    ("kind", c_int),
    ("elements", c_int32 * 2),
    ("a", c_double),
    ("size", c_int32 * 2),
    ("layers", c_int32),
    ("charge", c_double),
    ("step", c_int32),
    ("vacancies", c_void_p),
    ("n_vacancies", c_int32),
    ("vacuum", c_double),
    ("c", c_double),
    ("no_charges", c_bool),
    ("crystal", c_void_p),
    ("hkl", c_int32 * 3),
    ("termination", c_int32),
    ("adatoms", POINTER(shoal_adatom)),
    ("n_adatoms", c_int32),
]

shoal_grid_errors._fields_ = [
    ("samples", c_int64),
    ("rms_e", c_double),
    ("max_e", c_double),
    ("rms_f", c_double),
    ("max_f", c_double),
]

shoal_grid_options._fields_ = [
    ("step", c_double),
    ("height", c_double),
    ("whole_cell", c_bool),
    ("device", c_char_p),
    ("n_threads", c_int32),
    ("samples", c_int32),
    ("monitor", shoal_grid_monitor),
    ("user", c_void_p),
    ("pauli", c_void_p),
    ("london", c_void_p),
    ("coulomb", c_void_p),
]

shoal_grid_plan._fields_ = [
    ("nodes", c_int64),
    ("bytes", c_int64),
    ("build_bytes", c_int64),
    ("build_seconds", c_double),
    ("direct_seconds", c_double),
]

shoal_grid_choice._fields_ = [
    ("plan", shoal_grid_plan),
    ("direct", c_bool),
    ("why", c_char * 200),
]

shoal_grid_level._fields_ = [
    ("shape", c_int32 * 3),
    ("step", c_double * 3),
    ("bottom", c_double),
    ("top", c_double),
]

shoal_grid_source._fields_ = [
    ("there", c_bool),
    ("name", c_char * 64),
    ("max_e", c_double),
    ("max_f", c_double),
    ("top", c_double),
    ("end", c_double),
    ("cut", c_double),
    ("zero", c_double),
]

shoal_grid_view._fields_ = [
    ("shape", c_int32 * 3),
    ("cell", (c_double * 2) * 2),
    ("cells", c_int32),
    ("origin", c_double * 3),
    ("step", c_double * 3),
    ("switch_z", c_double),
    ("top", c_double),
    ("n_levels", c_int32),
    ("levels", shoal_grid_level * SHOAL_GRID_LEVELS),
    ("limit", c_double * SHOAL_N_CHANNELS),
    ("has_channel", c_bool * SHOAL_N_CHANNELS),
    ("bytes", c_int64),
    ("errors", shoal_grid_errors),
    ("surface", c_void_p),
    ("sources", shoal_grid_source * SHOAL_CHANNEL_KINDS),
]

shoal_grid_sample._fields_ = [
    ("height", c_double),
    ("de", c_double),
    ("df", c_double),
]

shoal_grid_report._fields_ = [
    ("all", shoal_grid_errors),
    ("probes", shoal_grid_errors * SHOAL_GRID_PROBES),
    ("channels", shoal_grid_errors * SHOAL_N_CHANNELS),
    ("bands", shoal_grid_errors * SHOAL_GRID_BANDS),
    ("band_start", c_double * SHOAL_GRID_BANDS),
]

shoal_grid_request._fields_ = [
    ("surface_file", c_char_p),
    ("keep", c_bool),
    ("device", c_char_p),
    ("atoms", c_double),
    ("evaluations", c_double),
    ("before", c_int32),
    ("plans", c_bool),
    ("build", shoal_grid_options),
    ("tell", shoal_grid_request_tell),
    ("user", c_void_p),
]

shoal_grid_settled._fields_ = [
    ("direct", c_bool),
    ("text", c_char * 300),
    ("bytes", c_int64),
    ("seconds", c_double),
]

shoal_engine_options._fields_ = [
    ("device", c_char_p),
    ("precision", c_int),
    ("terms_off", c_uint32),
    ("mixing", c_int),
    ("coulomb_damping", c_double),
    ("vdw_cutoff", c_double),
    ("ewald_tolerance", c_double),
    ("n_threads", c_int32),
    ("device_bytes", c_int64),
    ("surface", c_void_p),
    ("grid", c_void_p),
    ("plain_terms", c_bool),
    ("vdw_tail", c_bool),
    ("ewald", c_int),
    ("pair_clamp", c_double),
]

shoal_plan._fields_ = [
    ("name", c_char * 128),
    ("n_systems", c_int32),
    ("n_untyped", c_int32),
    ("n_atoms", c_int64),
    ("n_topologies", c_int32),
    ("n_small", c_int32),
    ("n_large", c_int32),
    ("n_slices", c_int32),
    ("host_bytes", c_int64),
    ("device_bytes", c_int64),
    ("device_memory", c_int64),
    ("relaxes", c_bool),
]

shoal_relax_frame._fields_ = [
    ("i_system", c_int32),
    ("steps", c_int32),
    ("pos", c_void_p),
    ("forces", c_void_p),
    ("energy", c_double),
    ("fmax", c_double),
    ("terms", c_void_p),
    ("velocities", c_void_p),
    ("masses", c_void_p),
    ("time", c_double),
    ("kinetic", c_double),
    ("temperature", c_double),
    ("bath", c_double),
]

shoal_relax_options._fields_ = [
    ("method", c_int),
    ("fmax", c_double),
    ("max_steps", c_int32),
    ("max_move", c_double),
    ("every", c_int32),
    ("frame", shoal_relax_options_frame),
    ("frame_user", c_void_p),
    ("state", c_void_p),
    ("state_size", c_size_t),
    ("cell", c_int),
    ("cell_vectors", c_uint32),
    ("pressure", c_double),
    ("stress", c_double),
    ("elastic", c_double),
    ("keep_symmetry", c_bool),
]

shoal_progress._fields_ = [
    ("n_systems", c_int64),
    ("n_done", c_int64),
    ("n_failed", c_int64),
    ("n_evaluations", c_int64),
    ("energy", c_double),
    ("fmax", c_double),
]

shoal_result._fields_ = [
    ("status", c_int),
    ("reason", c_char_p),
    ("energy", c_double),
    ("n_terms", c_int32),
    ("terms", c_void_p),
    ("fmax", c_double),
    ("forces", c_void_p),
    ("steps", c_int32),
    ("energy0", c_double),
    ("terms0", c_void_p),
    ("warning", c_char_p),
    ("stress", c_double * 6),
    ("measure", c_double),
    ("measure0", c_double),
    ("pressure", c_double),
    ("coulomb_sum", c_int),
    ("n_symmetry", c_int32),
    ("symmetry_moved", c_double),
    ("elastic", c_void_p),
]

shoal_engine_results_view._fields_ = [
    ("n_systems", c_int32),
    ("n_terms", c_int32),
    ("starts", c_void_p),
    ("positions", c_void_p),
    ("forces", c_void_p),
    ("energies", c_void_p),
    ("fmax", c_void_p),
    ("terms", c_void_p),
    ("status", c_void_p),
    ("steps", c_void_p),
]

shoal_term_row._fields_ = [
    ("term", c_int32),
    ("kind", c_int32),
    ("index", c_int32),
    ("n_atoms", c_int32),
    ("atoms", shoal_image * 4),
    ("value", c_double),
    ("energy", c_double),
    ("parameters", c_double * 3),
]

shoal_field._fields_ = [
    ("rows", c_int32),
    ("n_columns", c_int32),
    ("values", c_void_p),
    ("columns", c_char_p),
    ("unit", c_char_p),
    ("missing", c_char_p),
]

shoal_read_options._fields_ = [
    ("major_part", c_bool),
    ("smiles_column", c_char_p),
]

shoal_frame._fields_ = [
    ("is_result", c_bool),
    ("energy", c_void_p),
    ("forces", c_void_p),
    ("displacements", c_void_p),
    ("types", POINTER(c_char_p)),
    ("status", c_char_p),
    ("reason", c_char_p),
    ("warning", c_char_p),
    ("fmax", c_void_p),
    ("energy0", c_void_p),
    ("steps", c_void_p),
    ("time", c_void_p),
    ("kinetic", c_void_p),
    ("temperature", c_void_p),
    ("bath", c_void_p),
    ("velocities", c_void_p),
    ("masses", c_void_p),
    ("n_directions", c_int32),
    ("n_pairs", c_int32),
    ("direction_atoms", c_void_p),
    ("directions", c_void_p),
    ("electron_pairs", c_void_p),
    ("file", c_char_p),
    ("index", c_int64),
    ("record", c_int64),
    ("variant", c_void_p),
    ("conformer", c_void_p),
    ("has_adsorption", c_bool),
    ("adsorption_energy", c_double),
    ("stress", c_void_p),
]

shoal_choice._fields_ = [
    ("choose", shoal_choice_choose),
    ("user", c_void_p),
    ("numbers", c_double * 5),
]

shoal_conformers._fields_ = [
    ("n", c_int32),
    ("seed", c_uint64),
    ("most_tries", c_int32),
    ("no_relaxation", c_bool),
    ("choice", POINTER(shoal_choice)),
    ("for_visit", c_bool),
]

shoal_ensemble._fields_ = [
    ("most", c_int32),
    ("window", c_double),
    ("rmsd", c_double),
    ("temperature", c_double),
    ("keep_alike", c_bool),
]

shoal_stream_system._fields_ = [
    ("index", c_int64),
    ("conformer", c_int64),
    ("variant", c_int64),
    ("n_variants", c_int64),
    ("record", c_int64),
    ("line", c_int64),
    ("i_file", c_int32),
    ("i_engine", c_int32),
    ("round", c_int32),
    ("mol", c_void_p),
    ("topology", c_void_p),
    ("charges_from", c_int),
    ("engine", c_void_p),
    ("device", c_char_p),
    ("result", shoal_result),
    ("md", POINTER(shoal_md_result)),
    ("modes", POINTER(shoal_modes_result)),
    ("isolated_energy", c_double),
    ("isolated_start", c_int32),
    ("unfinished", c_bool),
    ("refusal", c_char_p),
    ("rank", c_int32),
]

shoal_sink._fields_ = [
    ("format", shoal_sink_format),
    ("write", shoal_sink_write),
    ("user", c_void_p),
    ("step", shoal_sink_step),
]

shoal_stream_progress._fields_ = [
    ("part", c_double),
    ("n_read", c_int64),
    ("n_done", c_int64),
    ("n_before", c_int64),
    ("n_computed", c_int64),
    ("n_failed", c_int64),
    ("n_embedded", c_int64),
    ("n_evaluations", c_int64),
    ("seconds", c_double * SHOAL_N_STAGES),
    ("large_index", c_int64),
    ("large_atoms", c_int32),
    ("large_steps", c_int32),
    ("large_energy", c_double),
    ("large_fmax", c_double),
    ("n_devices_lost", c_int32),
    ("device_error", c_char_p),
    ("state", c_void_p),
    ("state_size", c_size_t),
    ("state_index", c_int64),
]

shoal_peers._fields_ = [
    ("rank", c_int32),
    ("size", c_int32),
    ("send", shoal_peers_send),
    ("receive", shoal_peers_receive),
    ("user", c_void_p),
]

shoal_type_override._fields_ = [
    ("atom", c_int32),
    ("label", c_char * 8),
    ("where", c_void_p),
]

shoal_variants._fields_ = [
    ("n", c_int64),
    ("series", c_int32),
    ("group", c_int32),
    ("stage", c_int32),
    ("make", shoal_variants_make),
    ("own_charges", c_bool),
    ("again", shoal_variants_again),
    ("calm", c_int32),
    ("gain", c_double),
    ("user", c_void_p),
]

shoal_placement._fields_ = [
    ("orient", c_int),
    ("rotate", c_double * 3),
    ("has_at", c_bool),
    ("at", c_double * 2),
    ("height", c_double),
]

shoal_record._fields_ = [
    ("molecule", c_void_p),
    ("pos", c_void_p),
    ("topology", c_void_p),
    ("fixed", c_void_p),
    ("restraints", POINTER(shoal_restraint)),
    ("n_restraints", c_int32),
    ("bodies", c_void_p),
]

shoal_stream_input._fields_ = [
    ("files", POINTER(c_char_p)),
    ("n_files", c_int32),
    ("records", POINTER(shoal_record)),
    ("n_records", c_int64),
    ("format", c_int),
    ("read", shoal_read_options),
    ("strict", c_bool),
    ("first", c_int64),
    ("shard", c_int32),
    ("n_shards", c_int32),
]

shoal_stream_resume._fields_ = [
    ("state", c_void_p),
    ("size", c_size_t),
    ("index", c_int64),
    ("seconds", c_double),
]

shoal_stream_typing._fields_ = [
    ("perceive", POINTER(shoal_perceive_options)),
    ("forcefield", POINTER(shoal_typing_options)),
    ("types", POINTER(shoal_type_override)),
    ("n_types", c_int32),
    ("file_types", c_bool),
    ("drop_solvent", c_bool),
    ("primitive", c_bool),
    ("space_group", c_bool),
    ("keep_flat", c_bool),
    ("add_hydrogens", c_bool),
    ("fragment", c_int32),
]

shoal_stream_build._fields_ = [
    ("conformers", shoal_conformers),
    ("placement", POINTER(shoal_placement)),
    ("variants", POINTER(shoal_variants)),
    ("movable", c_void_p),
    ("movable_spring", c_double),
]

shoal_stream_constraints._fields_ = [
    ("fixed", c_void_p),
    ("n_fixed", c_int32),
    ("fix", POINTER(c_void_p)),
    ("n_fix", c_int32),
    ("restraints", POINTER(shoal_restraint)),
    ("n_restraints", c_int32),
    ("rigid", POINTER(c_void_p)),
    ("n_rigid", c_int32),
    ("rigid_molecules", c_bool),
]

shoal_stream_compute._fields_ = [
    ("engine", POINTER(shoal_engine_options)),
    ("relax", POINTER(shoal_relax_options)),
    ("md", POINTER(shoal_md_options)),
    ("modes", POINTER(shoal_modes_options)),
    ("adsorption", c_bool),
    ("alone", POINTER(shoal_variants)),
    ("n_threads", c_int32),
    ("slice_systems", c_int32),
    ("memory_bytes", c_int64),
]

shoal_stream_output._fields_ = [
    ("sinks", POINTER(shoal_sink)),
    ("n_sinks", c_int32),
    ("visit", shoal_stream_output_visit),
    ("monitor", shoal_stream_output_monitor),
    ("user", c_void_p),
]

shoal_stream_options._fields_ = [
    ("job", c_int),
    ("input", shoal_stream_input),
    ("resume", shoal_stream_resume),
    ("typing", shoal_stream_typing),
    ("build", shoal_stream_build),
    ("constraints", shoal_stream_constraints),
    ("compute", shoal_stream_compute),
    ("output", shoal_stream_output),
    ("peers", POINTER(shoal_peers)),
]

shoal_modes_options._fields_ = [
    ("no_relax", c_bool),
    ("fmax", c_double),
    ("step", c_double),
    ("temperature", c_double),
    ("pressure", c_double),
    ("symmetry_number", c_int32),
    ("vectors", c_bool),
]

shoal_thermo._fields_ = [
    ("ideal_gas", c_bool),
    ("symmetry_found", c_bool),
    ("symmetry_number", c_int32),
    ("n_left_out", c_int32),
    ("temperature", c_double),
    ("pressure", c_double),
    ("zero_point", c_double),
    ("energy", c_double),
    ("enthalpy", c_double),
    ("entropy", c_double),
    ("free_energy", c_double),
]

shoal_modes_result._fields_ = [
    ("n_atoms", c_int32),
    ("n_modes", c_int32),
    ("n_removed", c_int32),
    ("frequencies", c_void_p),
    ("reduced_masses", c_void_p),
    ("vectors", c_void_p),
    ("energy", c_double),
    ("fmax", c_double),
    ("error", c_double),
    ("step", c_double),
    ("linear", c_bool),
    ("verdict", c_int),
    ("order", c_int32),
    ("thermo", shoal_thermo),
]

shoal_modes_film._fields_ = [
    ("n_frames", c_int32),
    ("amplitude", c_double),
]

shoal_band._fields_ = [
    ("topology", c_void_p),
    ("first", c_void_p),
    ("last", c_void_p),
    ("cell", c_void_p),
    ("fixed", c_void_p),
]

shoal_band_move._fields_ = [
    ("shift", c_double * 3),
    ("turn", c_double),
]

shoal_band_ends._fields_ = [
    ("last", c_void_p),
    ("n_failed", c_int32),
]

shoal_band_options._fields_ = [
    ("n_images", c_int32),
    ("spring", c_double),
    ("fmax", c_double),
    ("max_steps", c_int32),
    ("no_climb", c_bool),
    ("straight", c_bool),
]

shoal_band_result._fields_ = [
    ("status", c_int),
    ("n_atoms", c_int32),
    ("n_images", c_int32),
    ("energies", c_void_p),
    ("lengths", c_void_p),
    ("positions", c_void_p),
    ("saddle", c_int32),
    ("barrier", c_double),
    ("back", c_double),
    ("fmax", c_double),
    ("ends_fmax", c_double),
    ("steps", c_int32),
]

shoal_band_verdict._fields_ = [
    ("verdict", c_int),
    ("order", c_int32),
    ("frequency", c_double),
]

shoal_comparison._fields_ = [
    ("comparable", c_bool),
    ("same_status", c_bool),
    ("force_error", c_double),
    ("force", c_double),
    ("relative", c_double),
    ("verdict", c_double),
    ("atom", c_int32),
    ("energy_error", c_double),
    ("term", c_int),
]

shoal_bench_case._fields_ = [
    ("name", c_char_p),
    ("about", c_char_p),
    ("systems", c_int32),
]

shoal_bench_options._fields_ = [
    ("what", c_int),
    ("method", c_int),
    ("systems", c_int32),
    ("steps", c_int32),
    ("n_threads", c_int32),
    ("seed", c_int64),
    ("engine", POINTER(shoal_engine_options)),
    ("typing", POINTER(shoal_typing_options)),
    ("surface", c_void_p),
    ("height", c_double),
]

shoal_bench_check._fields_ = [
    ("verdict", c_double),
    ("differs", c_int32),
    ("status", c_int),
    ("c", shoal_comparison),
]

shoal_bench_counts._fields_ = [
    ("systems", c_int32),
    ("steps", c_int32),
    ("n_atoms", c_int32),
    ("evaluations", c_int64),
    ("converged", c_int64),
]

shoal_bench_life._fields_ = [
    ("open", c_double),
    ("first", c_double * SHOAL_N_PHASES),
    ("later", c_double * SHOAL_N_PHASES),
    ("first_result", c_double),
]

shoal_bench_figures._fields_ = [
    ("device", c_char * 128),
    ("unit", c_char_p),
    ("median", c_double),
    ("spread", c_double),
    ("rate", c_double),
    ("on_engine", c_bool),
    ("fell_short", c_bool),
    ("life", shoal_bench_life),
]

shoal_bench_files_options._fields_ = [
    ("job", c_int),
    ("engine", POINTER(shoal_engine_options)),
    ("typing", POINTER(shoal_typing_options)),
    ("output", c_char_p),
    ("n_threads", c_int32),
    ("repeats", c_int32),
]

shoal_bench_files_result._fields_ = [
    ("same", c_bool),
    ("seconds", c_double),
    ("spread", c_double),
    ("first_seconds", c_double),
    ("n_systems", c_int64),
    ("n_failed", c_int64),
    ("n_bytes", c_int64),
    ("last", shoal_stream_progress),
]

shoal_row_style._fields_ = [
    ("files", POINTER(c_char_p)),
    ("positions", c_bool),
    ("forces", c_bool),
    ("devices", c_bool),
    ("adsorption", c_bool),
    ("copies", c_bool),
    ("metals", c_char_p),
]

shoal_checked._fields_ = [
    ("system", POINTER(shoal_stream_system)),
    ("differs", c_bool),
    ("ref", shoal_result),
    ("device", shoal_result),
    ("c", shoal_comparison),
    ("n_compared", c_int32),
    ("worst", c_double),
    ("worst_step", c_int32),
    ("differs_at", c_int32),
    ("term", c_int),
    ("parted_at", c_int32),
    ("parted_atom", c_int32),
    ("parted", c_double),
]

shoal_check_options._fields_ = [
    ("way", c_int),
    ("tolerance", c_double),
    ("relax", POINTER(shoal_relax_options)),
    ("tell", shoal_check_options_tell),
    ("user", c_void_p),
]

shoal_check_counts._fields_ = [
    ("systems", c_int64),
    ("differ", c_int64),
    ("compared", c_int64),
    ("median", c_double),
    ("largest", c_double),
    ("index", c_int64),
    ("name", c_char * 64),
    ("type", c_char * 24),
    ("c", shoal_comparison),
    ("term", c_int),
]

shoal_check_term._fields_ = [
    ("term", c_int),
    ("kind", c_int),
    ("whole", c_bool),
    ("n", c_int64),
    ("compared", c_int64),
    ("differ", c_int64),
    ("tolerance", c_double),
    ("energy_error", c_double),
    ("force_error", c_double),
    ("worst", c_double),
    ("index", c_int64),
    ("name", c_char * 64),
    ("force", c_double),
    ("atom", c_int32),
    ("row", shoal_term_row),
    ("atoms", c_char * 160),
]

shoal_checked_interaction._fields_ = [
    ("row", shoal_term_row),
    ("view", shoal_topology_view),
    ("ref", shoal_result),
    ("device", shoal_result),
    ("c", shoal_comparison),
    ("tolerance", c_double),
    ("differs", c_bool),
]

shoal_set_info._fields_ = [
    ("label", c_char_p),
    ("first", c_int32),
    ("n_samples", c_int32),
    ("n_dimers", c_int32),
    ("n_atoms", c_int32),
    ("weight", c_double),
    ("rms", c_double),
    ("least", c_double),
    ("most", c_double),
]

shoal_sample_info._fields_ = [
    ("name", c_char_p),
    ("group", c_char_p),
    ("set", c_int32),
    ("dimer", c_int32),
    ("n_atoms", c_int32),
    ("n_first", c_int32),
    ("x0", c_double),
    ("angle", c_double),
    ("reference", c_double),
    ("weight", c_double),
]

shoal_device_info._fields_ = [
    ("device", c_char * 24),
    ("name", c_char * 128),
    ("vendor", c_char * 64),
    ("platform", c_char * 64),
    ("driver", c_char * 64),
    ("version", c_char * 128),
    ("instruction_set", c_char * 16),
    ("type", c_int),
    ("compute_units", c_int32),
    ("clock_mhz", c_int32),
    ("memory_bytes", c_int64),
    ("max_buffer_bytes", c_int64),
    ("local_bytes", c_int64),
    ("max_group_size", c_int64),
    ("fp64", c_bool),
]

shoal_doctor_row._fields_ = [
    ("part", c_char_p),
    ("health", c_int),
    ("found", c_char_p),
    ("advice", c_char_p),
    ("tested", c_bool),
    ("error", c_double),
    ("tolerance", c_double),
    ("start_seconds", c_double),
    ("rate", c_double),
]

shoal_doctor_options._fields_ = [
    ("seconds", c_double),
    ("tell", shoal_doctor_options_tell),
    ("user", c_void_p),
]

shoal_elastic._fields_ = [
    ("stiffness", (c_double * 6) * 6),
    ("asymmetry", c_double),
    ("eigenvalues", c_double * 6),
    ("stable", c_bool),
    ("bulk_voigt", c_double),
    ("bulk_reuss", c_double),
    ("bulk", c_double),
    ("shear_voigt", c_double),
    ("shear_reuss", c_double),
    ("shear", c_double),
]

shoal_fit_options._fields_ = [
    ("model", c_char_p),
    ("alpha", c_double),
    ("constants", c_char_p),
    ("columns", c_char_p),
    ("hbond", c_int),
    ("coulomb", c_int),
    ("coulomb_damping", c_double),
    ("site_model", c_char_p),
    ("type_charges", c_bool),
    ("neutral", c_bool),
    ("fit_lambda", c_bool),
    ("fit_alpha", c_bool),
    ("radius_charge", c_double),
    ("fit_radius_charge", c_bool),
    ("dispersion_damping", c_double),
    ("fit_dispersion_damping", c_bool),
    ("fit_coulomb_damping", c_bool),
    ("fit_site_charges", c_bool),
    ("fit_increments", c_bool),
    ("components", c_bool),
    ("clamp_from", c_double),
    ("clamp_to", c_double),
    ("pool", c_double),
    ("unregularized", c_bool),
    ("tether", c_double),
    ("evaluator", c_char_p),
    ("peers", POINTER(shoal_peers)),
    ("single", c_bool),
    ("n_threads", c_int32),
    ("strict", c_bool),
]

shoal_dof_info._fields_ = [
    ("type", c_char_p),
    ("comp", c_char_p),
    ("start", c_double),
    ("value", c_double),
    ("min", c_double),
    ("max", c_double),
    ("uncertainty", c_double),
    ("independent", c_double),
    ("bootstrap", c_double),
    ("low", c_double),
    ("high", c_double),
    ("n_atoms", c_int32),
    ("frozen", c_bool),
    ("at_bound", c_bool),
    ("why", c_char_p),
]

shoal_fit_run_options._fields_ = [
    ("method", c_int),
    ("max_steps", c_int32),
    ("n_starts", c_int32),
    ("seed", c_uint64),
    ("monitor", shoal_fit_monitor),
    ("stop", shoal_fit_stop),
    ("user", c_void_p),
]

shoal_fit_result._fields_ = [
    ("converged", c_bool),
    ("stopped", c_bool),
    ("stalled", c_bool),
    ("steps", c_int32),
    ("evaluations", c_int32),
    ("best_start", c_int32),
    ("same_optimum", c_int32),
    ("handed_over", c_int32),
    ("j", c_double),
    ("rmse_before", c_double),
    ("rmse", c_double),
    ("seconds", c_double),
]

shoal_fit_restart._fields_ = [
    ("checkpoint", c_char_p),
    ("seconds", c_double),
    ("resume", c_bool),
]

shoal_cv_options._fields_ = [
    ("n_folds", c_int32),
    ("seed", c_uint64),
    ("run", shoal_fit_run_options),
]

shoal_cv_fold._fields_ = [
    ("n_samples", c_int32),
    ("n_dimers", c_int32),
    ("rmse", c_double),
    ("rmse_train", c_double),
    ("label", c_char * 64),
]

shoal_cv_dimer._fields_ = [
    ("name", c_char_p),
    ("dimer", c_int32),
    ("n_samples", c_int32),
    ("rmse", c_double),
    ("largest", c_double),
]

shoal_cv_result._fields_ = [
    ("stopped", c_bool),
    ("n_folds", c_int32),
    ("rmse", c_double),
    ("std", c_double),
    ("folds", POINTER(shoal_cv_fold)),
    ("predicted", c_void_p),
    ("error", c_void_p),
    ("median", c_double),
    ("n_dimers", c_int32),
    ("dimers", POINTER(shoal_cv_dimer)),
]

shoal_bootstrap_options._fields_ = [
    ("n", c_int32),
    ("seed", c_uint64),
    ("run", shoal_fit_run_options),
]

shoal_derivative_check._fields_ = [
    ("analytic", c_double),
    ("numeric", c_double),
    ("error", c_double),
    ("doubt", c_double),
    ("weak", c_bool),
    ("passed", c_bool),
    ("uncertain", c_bool),
    ("jumps", c_bool),
]

shoal_derivative_options._fields_ = [
    ("step", c_double),
    ("tolerance", c_double),
    ("points", c_int32),
]

shoal_scan_point._fields_ = [
    ("a", c_double),
    ("b", c_double),
    ("j", c_double),
    ("slope_a", c_double),
    ("slope_b", c_double),
    ("numeric_a", c_double),
    ("numeric_b", c_double),
]

shoal_fit_speed._fields_ = [
    ("device", c_char * 128),
    ("n_sets", c_int32),
    ("n_samples", c_int32),
    ("n_repeats", c_int32),
    ("n_pairs", c_int64),
    ("seconds", c_double),
    ("spread", c_double),
    ("pairs_per_s", c_double),
    ("error", c_double),
]

shoal_fit_scan._fields_ = [
    ("dof_a", c_int32),
    ("dof_b", c_int32),
    ("n_a", c_int32),
    ("n_b", c_int32),
    ("points", POINTER(shoal_scan_point)),
]

shoal_bonded_options._fields_ = [
    ("typing", POINTER(shoal_typing_options)),
    ("terms", c_uint32),
    ("by_bond", c_bool),
    ("bonds", c_void_p),
    ("n_bonds", c_int32),
    ("periods", c_int32),
    ("freedom", c_double),
    ("force_weight", c_double),
    ("held", c_void_p),
    ("n_held", c_int32),
    ("held_k", c_double),
    ("energy_unit", c_double),
    ("device", c_char_p),
    ("n_threads", c_int32),
    ("max_steps", c_int32),
]

shoal_bonded_parameter._fields_ = [
    ("name", c_char_p),
    ("start", c_double),
    ("value", c_double),
    ("width", c_double),
    ("n_terms", c_int32),
]

shoal_bonded_result._fields_ = [
    ("n_geometries", c_int32),
    ("n_molecules", c_int32),
    ("n_parameters", c_int32),
    ("steps", c_int32),
    ("converged", c_bool),
    ("j", c_double),
    ("rmse_before", c_double),
    ("rmse", c_double),
    ("force_rmse_before", c_double),
    ("force_rmse", c_double),
    ("seconds", c_double),
]

shoal_prepare_options._fields_ = [
    ("format", c_int),
    ("charges", c_int),
    ("dialect", c_int),
    ("finer", c_bool),
    ("map", c_char_p),
    ("frames", c_char_p),
    ("types", c_char_p),
    ("dofs", c_char_p),
    ("note", shoal_fit_note),
    ("user", c_void_p),
]

shoal_prepare_result._fields_ = [
    ("n_frames", c_int32),
    ("n_left_out", c_int32),
    ("n_types", c_int32),
    ("n_mended", c_int32),
]

shoal_label_difference._fields_ = [
    ("label", c_char * SHOAL_TYPE_NAME_SIZE),
    ("name", c_char * SHOAL_TYPE_NAME_SIZE),
    ("n_atoms", c_int32),
    ("sample", c_int32),
    ("atom", c_int32),
]

shoal_label_check._fields_ = [
    ("n_differences", c_int32),
    ("n_atoms", c_int32),
    ("n_untyped", c_int32),
    ("untyped", c_int32),
    ("reason", c_char * 256),
]

shoal_error_summary._fields_ = [
    ("n", c_int32),
    ("n_dimers", c_int32),
    ("rmse", c_double),
    ("mae", c_double),
    ("mean", c_double),
    ("median", c_double),
]

shoal_error_row._fields_ = [
    ("label", c_char_p),
    ("x0", c_double),
    ("key", c_int32),
    ("n", c_int32),
    ("rmse", c_double),
    ("mae", c_double),
    ("mean", c_double),
    ("largest", c_double),
]

shoal_strong_pair._fields_ = [
    ("correlation", c_double),
    ("a", c_int32),
    ("b", c_int32),
]

shoal_md_system._fields_ = [
    ("masses", c_void_p),
    ("velocities", c_void_p),
    ("temperatures", c_void_p),
    ("n_temperatures", c_int32),
    ("key", c_int64),
    ("refusal", c_char_p),
]

shoal_md_options._fields_ = [
    ("n_steps", c_int32),
    ("dt", c_double),
    ("thermostat", c_int),
    ("friction", c_double),
    ("tau", c_double),
    ("temperatures", c_void_p),
    ("n_temperatures", c_int32),
    ("seed", c_uint64),
    ("stride", c_int32),
    ("remove_every", c_int32),
    ("exchange_every", c_int32),
    ("n_copies", c_int32),
    ("systems", POINTER(shoal_md_system)),
    ("hydrogen_mass", c_double),
    ("copy_temperatures", c_void_p),
    ("rigid_bonds", c_bool),
    ("own_velocities", c_bool),
    ("frame", shoal_md_options_frame),
    ("frame_user", c_void_p),
    ("state", c_void_p),
    ("state_size", c_size_t),
]

shoal_md_result._fields_ = [
    ("n_steps", c_int32),
    ("time", c_double),
    ("n_dof", c_double),
    ("etot0", c_double),
    ("etot", c_double),
    ("drift", c_double),
    ("fluctuation", c_double),
    ("conserved_drift", c_double),
    ("n_samples", c_int32),
    ("temperature_mean", c_double),
    ("temperature_err", c_double),
    ("potential_mean", c_double),
    ("potential_err", c_double),
    ("temperature", c_double),
    ("n_tried", c_int32),
    ("n_swapped", c_int32),
    ("n_rigid", c_int32),
    ("velocities", c_void_p),
    ("masses", c_void_p),
]

shoal_motion._fields_ = [
    ("dynamics", c_bool),
    ("method", c_int),
    ("fmax", c_double),
    ("max_move", c_double),
    ("dt", c_double),
    ("thermostat", c_int),
    ("friction", c_double),
    ("tau", c_double),
    ("temperature", c_double),
    ("seed", c_uint64),
]

shoal_array._fields_ = [
    ("name", c_char * 48),
    ("unit", c_char * 48),
    ("what", c_char_p),
    ("rows", c_int),
    ("number", c_int),
    ("writable", c_bool),
    ("n_columns", c_int32),
    ("n_blocks", c_int32),
    ("starts", c_void_p),
    ("data", c_void_p),
]

shoal_merge_report._fields_ = [
    ("n_systems", c_int64),
    ("n_again", c_int64),
    ("n_missing", c_int64),
    ("first_missing", c_int64),
]

shoal_jitter._fields_ = [
    ("n_copies", c_int64),
    ("distance", c_double),
    ("seed", c_uint64),
    ("movable", c_void_p),
]

shoal_need._fields_ = [
    ("chunks", c_int64),
    ("systems", c_int64),
    ("untyped", c_int64),
    ("atoms", c_int64),
    ("topologies", c_int64),
    ("small", c_int64),
    ("large", c_int64),
    ("slices", c_int64),
    ("host_bytes", c_int64),
    ("device_bytes", c_int64),
    ("device_memory", c_int64),
    ("name", c_char * 128),
]

shoal_results_what._fields_ = [
    ("forces", c_bool),
    ("dynamics", c_bool),
    ("variants", c_bool),
    ("adsorption", c_bool),
    ("directions", c_bool),
    ("stress", c_bool),
]

shoal_results_header._fields_ = [
    ("what", shoal_results_what),
    ("files", POINTER(c_char_p)),
    ("n_files", c_int32),
    ("program", c_char_p),
    ("command", c_char_p),
    ("options", c_char_p),
    ("device", c_char_p),
    ("driver", c_char_p),
    ("start_time", c_char_p),
    ("seed", c_int64),
]

shoal_run_output._fields_ = [
    ("path", c_char_p),
    ("kind", c_int),
    ("format", c_int),
    ("frames", c_bool),
    ("put", shoal_run_output_put),
    ("take", shoal_run_output_take),
    ("replay", shoal_run_output_replay),
    ("user", c_void_p),
]

shoal_run_counts._fields_ = [
    ("done", c_int64),
    ("failed", c_int64),
    ("unreadable", c_int64),
    ("warned", c_int64),
    ("refused", c_int64),
    ("no_hydrogens", c_int64),
    ("charges", c_int64 * SHOAL_N_CHARGE_SOURCES),
    ("evaluations", c_int64),
    ("seconds", c_double),
]

shoal_run_result._fields_ = [
    ("counts", shoal_run_counts),
    ("evaluations", c_int64),
    ("seconds", c_double),
    ("began", c_bool),
    ("resumed", c_bool),
    ("stopped", c_bool),
    ("late", c_bool),
    ("saved", c_bool),
    ("leads", c_bool),
]

shoal_run_options._fields_ = [
    ("stream", POINTER(shoal_stream_options)),
    ("outputs", POINTER(shoal_run_output)),
    ("n_outputs", c_int32),
    ("what", shoal_results_what),
    ("header", POINTER(shoal_results_header)),
    ("slab", c_void_p),
    ("slab_c", c_double * 3),
    ("frame", shoal_run_options_frame),
    ("show", shoal_run_options_show),
    ("checkpoint", c_char_p),
    ("seconds", c_double),
    ("max_seconds", c_double),
    ("resume", c_bool),
    ("keep_checkpoint", c_bool),
    ("about", c_char_p),
    ("sources", POINTER(c_char_p)),
    ("n_sources", c_int32),
    ("rows", c_int32),
    ("log", c_char_p),
    ("members", c_char_p),
    ("log_first", c_bool),
    ("code", shoal_run_options_code),
    ("conclude", shoal_run_options_conclude),
    ("tell", shoal_run_options_tell),
    ("user", c_void_p),
]

shoal_coordinate._fields_ = [
    ("kind", c_int),
    ("atoms", c_int32 * 4),
    ("from", c_double),
    ("to", c_double),
    ("n", c_int64),
]

shoal_scan_options._fields_ = [
    ("coordinates", POINTER(shoal_coordinate)),
    ("n_coordinates", c_int32),
    ("move", c_void_p),
    ("n_move", c_int32),
    ("frames", POINTER(c_void_p)),
    ("n_frames", c_int32),
    ("has_anchor", c_bool),
    ("anchor", c_int32),
    ("relaxed", c_bool),
    ("shape", c_bool),
    ("starts", c_int32),
    ("follow", c_bool),
    ("fix", POINTER(c_void_p)),
    ("n_fix", c_int32),
    ("spring_length", c_double),
    ("spring_angle", c_double),
    ("n_restraints", c_int32),
    ("surface", c_void_p),
    ("movable", c_void_p),
    ("copies", shoal_jitter),
    ("rigid", c_bool),
]

shoal_scan_minimum._fields_ = [
    ("place", c_int64),
    ("energy", c_double),
    ("at_edge", c_bool),
    ("barrier", c_int64),
    ("barrier_energy", c_double),
]

shoal_scan_figure._fields_ = [
    ("title", c_char_p),
    ("unit", c_double),
    ("unit_name", c_char_p),
    ("low", c_double),
    ("high", c_double),
]

shoal_equation_of_state._fields_ = [
    ("volume", c_double),
    ("energy", c_double),
    ("bulk", c_double),
    ("slope", c_double),
    ("error", c_double),
    ("n", c_int32),
]

shoal_scan_summary_options._fields_ = [
    ("kept", c_char_p),
    ("resumes", c_bool),
    ("plot", c_char_p),
    ("figure", shoal_scan_figure),
    ("tell", shoal_scan_summary_options_tell),
    ("user", c_void_p),
]

shoal_search_options._fields_ = [
    ("starts", c_int64),
    ("kicks", c_int32),
    ("kick_temperature", c_double),
    ("seed", c_int64),
    ("patience", c_int64),
    ("window", c_double),
    ("same_energy", c_double),
    ("same_rmsd", c_double),
    ("temperature", c_double),
    ("height", c_double),
    ("surface", c_void_p),
    ("movable", c_void_p),
    ("fix", POINTER(c_void_p)),
    ("n_fix", c_int32),
    ("isomers", c_bool),
    ("directions", c_bool),
    ("rigid", c_bool),
]

shoal_search_counts._fields_ = [
    ("molecules", c_int64),
    ("relaxations", c_int64),
    ("failed", c_int64),
    ("changed", c_int64),
    ("above", c_int64),
    ("minima", c_int64),
    ("ended", c_int64),
    ("since_new", c_int64),
    ("once", c_int64),
    ("twice", c_int64),
    ("unmoved", c_bool),
]

shoal_polish_options._fields_ = [
    ("free_energies", c_bool),
    ("monitor", shoal_polish_options_monitor),
    ("tell", shoal_polish_options_tell),
    ("user", c_void_p),
]

shoal_minimum._fields_ = [
    ("molecule", c_int64),
    ("rank", c_int32),
    ("energy", c_double),
    ("adsorption_energy", c_double),
    ("free_energy", c_double),
    ("weight", c_double),
    ("copies", c_int64),
    ("count", c_int64),
    ("start", c_int64),
    ("record", c_void_p),
    ("record_size", c_size_t),
]

shoal_minima_style._fields_ = [
    ("files", POINTER(c_char_p)),
    ("n_files", c_int32),
    ("on_surface", c_bool),
    ("positions", c_bool),
    ("forces", c_bool),
    ("directions", c_bool),
    ("device", c_char_p),
    ("about", c_char_p),
    ("description", c_char_p),
]

shoal_column._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("width", c_int32),
    ("n_rows", c_int64),
    ("data", c_void_p),
]

shoal_tip_options._fields_ = [
    ("n", c_int32 * 3),
    ("origin", c_double * 3),
    ("step", c_double * 3),
    ("n_systems", c_int32),
]

shoal_tip_view._fields_ = [
    ("n", c_int32 * 3),
    ("origin", c_double * 3),
    ("step", c_double * 3),
    ("energies", c_void_p),
    ("forces", c_void_p),
    ("n_points", c_int64),
    ("n_done", c_int64),
    ("n_failed", c_int64),
    ("seconds", c_double),
]

shoal_tip_oscillator._fields_ = [
    ("frequency", c_double),
    ("stiffness", c_double),
    ("amplitude", c_double),
]

shoal_atom_parameters._fields_ = [
    ("vdw_x", c_double),
    ("vdw_d", c_double),
    ("charge", c_double),
    ("mass", c_double),
    ("type", c_char_p),
]

# Result and arguments of every function.
FUNCTIONS = {
    "shoal_atom_types_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_atom_types_read_memory": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_char_p]),
    "shoal_atom_types_copy": (c_int, [POINTER(c_void_p), c_void_p]),
    "shoal_atom_types_destroy": (None, [c_void_p]),
    "shoal_atom_types_count": (c_int32, [c_void_p]),
    "shoal_atom_types_get": (POINTER(shoal_atom_type), [c_void_p, c_int32]),
    "shoal_atom_types_find": (c_int32, [c_void_p, c_char_p]),
    "shoal_atom_types_set": (c_int, [c_void_p, c_int32, c_double, c_double, c_double, c_double]),
    "shoal_atom_types_column": (c_double, [c_void_p, c_int32, c_int32]),
    "shoal_atom_types_set_column": (c_int, [c_void_p, c_int32, c_int32, c_double]),
    "shoal_bands_move": (
        c_int,
        [
            POINTER(shoal_band),
            c_int32,
            POINTER(shoal_band_move),
            POINTER(shoal_engine_options),
            POINTER(shoal_relax_options),
            POINTER(shoal_band_ends),
        ],
    ),
    "shoal_bands_find": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(shoal_band),
            c_int32,
            POINTER(shoal_engine_options),
            POINTER(shoal_band_options),
            c_void_p,
            c_void_p,
        ],
    ),
    "shoal_bands_destroy": (None, [c_void_p]),
    "shoal_bands_get": (c_int, [c_void_p, c_int32, POINTER(shoal_band_result)]),
    "shoal_bands_judge": (
        c_int,
        [
            c_void_p,
            c_int32,
            POINTER(shoal_band),
            POINTER(shoal_engine_options),
            POINTER(shoal_band_verdict),
        ],
    ),
    "shoal_bands_plot": (c_int, [c_void_p, c_int32, c_char_p]),
    "shoal_batch_create": (c_int, [POINTER(c_void_p)]),
    "shoal_batch_destroy": (None, [c_void_p]),
    "shoal_batch_add": (c_int, [c_void_p, POINTER(shoal_system)]),
    "shoal_batch_add_many": (c_int, [c_void_p, POINTER(shoal_system), c_int32, c_void_p]),
    "shoal_batch_size": (c_int32, [c_void_p]),
    "shoal_bench_case_get": (c_bool, [c_int32, POINTER(shoal_bench_case)]),
    "shoal_bench_what_name": (c_char_p, [c_int]),
    "shoal_bench_slab": (c_bool, [c_char_p, POINTER(shoal_slab_options)]),
    "shoal_bench_create": (c_int, [POINTER(c_void_p), c_char_p, POINTER(shoal_bench_options)]),
    "shoal_bench_destroy": (None, [c_void_p]),
    "shoal_bench_compare": (c_int, [c_void_p, POINTER(shoal_bench_check)]),
    "shoal_bench_count": (None, [c_void_p, POINTER(shoal_bench_counts)]),
    "shoal_bench_phase_name": (c_char_p, [c_int]),
    "shoal_bench_measure": (c_int, [POINTER(c_void_p), c_int32, c_int32]),
    "shoal_bench_report": (c_int, [c_void_p, POINTER(shoal_bench_figures)]),
    "shoal_bench_json": (c_int, [POINTER(shoal_json), c_void_p, c_void_p, c_void_p, c_char_p]),
    "shoal_bench_files": (
        c_int,
        [
            POINTER(shoal_bench_files_options),
            POINTER(c_char_p),
            c_int32,
            POINTER(shoal_bench_files_result),
        ],
    ),
    "shoal_bench_files_json": (
        None,
        [
            POINTER(shoal_json),
            POINTER(shoal_bench_files_options),
            POINTER(shoal_bench_files_result),
        ],
    ),
    "shoal_certificate_create": (
        c_int,
        [POINTER(c_void_p), POINTER(shoal_stream_options), c_char_p],
    ),
    "shoal_certificate_destroy": (None, [c_void_p]),
    "shoal_certificate_put": (c_int, [c_void_p, POINTER(shoal_stream_system), c_void_p]),
    "shoal_check_create": (
        c_int,
        [POINTER(c_void_p), POINTER(shoal_stream_options), POINTER(shoal_check_options)],
    ),
    "shoal_check_destroy": (None, [c_void_p]),
    "shoal_check_visit": (c_int, [c_void_p, POINTER(shoal_stream_system), c_int32]),
    "shoal_check_count": (None, [c_void_p, POINTER(shoal_check_counts)]),
    "shoal_check_n_terms": (c_int32, [c_void_p]),
    "shoal_check_term_get": (c_int, [c_void_p, c_int32, POINTER(shoal_check_term)]),
    "shoal_check_add": (c_int, [c_void_p, POINTER(shoal_stream_system), c_void_p]),
    "shoal_check_interaction": (
        c_int,
        [c_void_p, POINTER(shoal_stream_system), c_char_p, POINTER(shoal_checked_interaction)],
    ),
    "shoal_check_term_title": (c_char_p, [POINTER(shoal_check_term)]),
    "shoal_checked_json": (
        None,
        [POINTER(shoal_json), c_void_p, POINTER(shoal_row_style), POINTER(shoal_checked)],
    ),
    "shoal_check_json": (None, [POINTER(shoal_json), c_void_p]),
    "shoal_check_term_json": (None, [POINTER(shoal_json), POINTER(shoal_check_term)]),
    "shoal_check_interaction_json": (
        None,
        [
            POINTER(shoal_json),
            c_void_p,
            POINTER(shoal_stream_system),
            POINTER(shoal_checked_interaction),
        ],
    ),
    "shoal_compare": (
        None,
        [POINTER(shoal_result), POINTER(shoal_result), c_int32, POINTER(shoal_comparison)],
    ),
    "shoal_compare_interaction": (
        None,
        [
            POINTER(shoal_result),
            POINTER(shoal_result),
            c_int32,
            c_int,
            c_bool,
            POINTER(shoal_comparison),
        ],
    ),
    "shoal_compare_tolerance": (c_double, [POINTER(shoal_engine_options)]),
    "shoal_batch_add_interaction": (
        c_int,
        [
            c_void_p,
            POINTER(shoal_system),
            POINTER(shoal_engine_options),
            POINTER(shoal_term_row),
            c_uint32,
        ],
    ),
    "shoal_dataset_create": (c_int, [POINTER(c_void_p), c_void_p]),
    "shoal_dataset_destroy": (None, [c_void_p]),
    "shoal_dataset_add": (c_int, [c_void_p, c_char_p, c_double]),
    "shoal_dataset_add_memory": (c_int, [c_void_p, c_void_p, c_size_t, c_char_p, c_double]),
    "shoal_dataset_set_energy_unit": (c_int, [c_void_p, c_double]),
    "shoal_dataset_read_weights": (c_int, [c_void_p, c_char_p]),
    "shoal_dataset_weigh_curves": (c_int, [c_void_p, c_double, c_double]),
    "shoal_dataset_add_sites": (c_int, [c_void_p, c_double]),
    "shoal_dataset_auto_sites": (c_int, [c_void_p, c_double]),
    "shoal_dataset_put_sites": (c_int, [c_void_p, POINTER(shoal_site_rule), c_int32]),
    "shoal_dataset_add_increments": (c_int, [c_void_p]),
    "shoal_dataset_put_increments": (c_int, [c_void_p, POINTER(shoal_charge_increment), c_int32]),
    "shoal_dataset_write": (c_int, [c_void_p, c_char_p]),
    "shoal_dataset_charges": (c_int, [c_void_p]),
    "shoal_dataset_sets": (c_int32, [c_void_p]),
    "shoal_dataset_samples": (c_int32, [c_void_p]),
    "shoal_dataset_dimers": (c_int32, [c_void_p]),
    "shoal_dataset_repeats": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "shoal_dataset_monomers": (c_int32, [c_void_p]),
    "shoal_dataset_pairs": (c_int64, [c_void_p]),
    "shoal_dataset_count": (c_int32, [c_void_p, c_int32]),
    "shoal_dataset_set": (c_int, [c_void_p, c_int32, POINTER(shoal_set_info)]),
    "shoal_dataset_sample": (c_int, [c_void_p, c_int32, POINTER(shoal_sample_info)]),
    "shoal_device_count": (c_int, [c_void_p]),
    "shoal_device_get": (c_int, [c_int32, POINTER(shoal_device_info)]),
    "shoal_device_check": (c_int, [c_char_p]),
    "shoal_device_resolve": (c_int, [c_char_p, c_void_p]),
    "shoal_device_left_idle": (c_bool, [c_char_p, c_double, c_void_p]),
    "shoal_cache_folder": (c_int, [c_void_p, c_size_t]),
    "shoal_kernel_compile": (c_int, [c_char_p]),
    "shoal_device_type_name": (c_char_p, [c_int]),
    "shoal_health_name": (c_char_p, [c_int]),
    "shoal_doctor_run": (c_int, [POINTER(shoal_doctor_options), c_void_p]),
    "shoal_elastic_find": (c_int, [c_void_p, POINTER(shoal_elastic)]),
    "shoal_precision_name": (c_char_p, [c_int]),
    "shoal_engine_create": (c_int, [POINTER(c_void_p), c_void_p, POINTER(shoal_engine_options)]),
    "shoal_engine_destroy": (None, [c_void_p]),
    "shoal_engine_plan": (c_int, [c_void_p, POINTER(shoal_engine_options), POINTER(shoal_plan)]),
    "shoal_engine_eval": (c_int, [c_void_p]),
    "shoal_engine_relax": (c_int, [c_void_p, POINTER(shoal_relax_options), c_void_p, c_void_p]),
    "shoal_engine_save": (c_int, [c_void_p, c_void_p]),
    "shoal_engine_set_positions": (c_int, [c_void_p, c_int32, c_void_p]),
    "shoal_engine_cell": (c_void_p, [c_void_p, c_int32]),
    "shoal_engine_set_all_positions": (c_int, [c_void_p, c_void_p]),
    "shoal_engine_positions": (c_void_p, [c_void_p, c_int32]),
    "shoal_engine_result": (c_int, [c_void_p, c_int32, POINTER(shoal_result)]),
    "shoal_engine_view": (c_int, [c_void_p, POINTER(shoal_engine_results_view)]),
    "shoal_engine_explain": (c_int, [c_void_p, c_int32, c_void_p, c_void_p]),
    "shoal_engine_field": (c_int, [c_void_p, c_char_p, POINTER(shoal_field)]),
    "shoal_field_free": (None, [POINTER(shoal_field)]),
    "shoal_field_write": (c_int, [POINTER(shoal_field), c_char_p]),
    "shoal_field_name": (c_char_p, [c_int32]),
    "shoal_ensemble_choice": (c_int, [POINTER(shoal_ensemble), POINTER(shoal_choice)]),
    "shoal_mover_count": (c_int32, [POINTER(shoal_topology_view)]),
    "shoal_mover_host": (c_int32, [POINTER(shoal_topology_view), c_int32]),
    "shoal_mover_type": (c_char_p, [POINTER(shoal_topology_view), c_int32, c_void_p]),
    "shoal_mover_name": (c_char_p, [POINTER(shoal_topology_view), c_int32, c_void_p]),
    "shoal_explain_rows": (c_int, [c_void_p, c_int32, POINTER(POINTER(shoal_term_row)), c_void_p]),
    "shoal_explain_atoms": (
        None,
        [POINTER(shoal_term_row), POINTER(shoal_topology_view), c_void_p],
    ),
    "shoal_explain_parameters": (
        None,
        [POINTER(shoal_term_row), POINTER(shoal_topology_view), c_void_p],
    ),
    "shoal_explain_unit": (c_char_p, [POINTER(shoal_term_row)]),
    "shoal_explain_json": (
        None,
        [POINTER(shoal_term_row), POINTER(shoal_topology_view), POINTER(shoal_json)],
    ),
    "shoal_ff_table_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_ff_table_read_memory": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_char_p]),
    "shoal_ff_table_destroy": (None, [c_void_p]),
    "shoal_ff_table_size": (c_int32, [c_void_p]),
    "shoal_ff_table_idle": (c_int32, [c_void_p, c_void_p]),
    "shoal_ff_table_put": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_fit_create": (
        c_int,
        [POINTER(c_void_p), c_void_p, c_char_p, POINTER(shoal_fit_options)],
    ),
    "shoal_fit_create_memory": (
        c_int,
        [POINTER(c_void_p), c_void_p, c_char_p, c_char_p, POINTER(shoal_fit_options)],
    ),
    "shoal_dataset_complete": (c_int, [c_void_p, POINTER(shoal_fit_options)]),
    "shoal_fit_destroy": (None, [c_void_p]),
    "shoal_fit_leave_peers": (c_int, [c_void_p]),
    "shoal_fit_evaluator": (c_char_p, [c_void_p]),
    "shoal_fit_dofs": (c_int32, [c_void_p]),
    "shoal_fit_free_dofs": (c_int32, [c_void_p]),
    "shoal_fit_dof": (c_int, [c_void_p, c_int32, POINTER(shoal_dof_info)]),
    "shoal_fit_set_value": (c_int, [c_void_p, c_int32, c_double]),
    "shoal_fit_start_from": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_fit_objective": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_fit_predict": (c_int, [c_void_p, c_void_p]),
    "shoal_fit_run": (c_int, [c_void_p, POINTER(shoal_fit_run_options), POINTER(shoal_fit_result)]),
    "shoal_fit_keep": (c_int, [c_void_p, POINTER(shoal_fit_restart), c_void_p]),
    "shoal_fit_keep_end": (c_int, [c_void_p, c_bool]),
    "shoal_fit_cross_validate": (
        c_int,
        [c_void_p, POINTER(shoal_cv_options), POINTER(shoal_cv_result)],
    ),
    "shoal_fit_choose_pool": (c_int, [c_void_p, POINTER(shoal_cv_options), c_void_p, c_void_p]),
    "shoal_fit_analyse": (c_int, [c_void_p]),
    "shoal_fit_prediction_errors": (c_int, [c_void_p, c_void_p]),
    "shoal_fit_correlation": (c_double, [c_void_p, c_int32, c_int32]),
    "shoal_fit_loose_directions": (c_int32, [c_void_p]),
    "shoal_fit_loose_direction": (c_char_p, [c_void_p, c_int32]),
    "shoal_fit_bootstrap": (c_int, [c_void_p, POINTER(shoal_bootstrap_options)]),
    "shoal_fit_check_derivative": (
        c_int,
        [c_void_p, c_int32, POINTER(shoal_derivative_options), POINTER(shoal_derivative_check)],
    ),
    "shoal_derivative_verdict": (c_char_p, [POINTER(shoal_derivative_check)]),
    "shoal_fit_scan_point": (c_int, [c_void_p, c_int32, c_int32, POINTER(shoal_scan_point)]),
    "shoal_fit_measure": (c_int, [c_void_p, c_char_p, c_bool, c_int32, POINTER(shoal_fit_speed)]),
    "shoal_fit_plot": (c_int, [c_void_p, POINTER(shoal_cv_result), c_char_p]),
    "shoal_fit_plot_scan": (c_int, [c_void_p, POINTER(shoal_fit_scan), c_char_p]),
    "shoal_fit_pair_model": (c_int, [c_void_p, POINTER(c_void_p)]),
    "shoal_fit_write_model": (c_int, [c_void_p, c_char_p]),
    "shoal_fit_increments": (c_int32, [c_void_p, POINTER(shoal_charge_increment)]),
    "shoal_fit_types": (c_int, [c_void_p, POINTER(c_void_p)]),
    "shoal_fit_write_dofs": (c_int, [c_void_p, c_char_p]),
    "shoal_fit_write_samples": (c_int, [c_void_p, POINTER(shoal_cv_result), c_char_p]),
    "shoal_fit_write_derivatives": (c_int, [c_void_p, c_char_p]),
    "shoal_fit_write_trajectory": (c_int, [c_void_p, c_char_p]),
    "shoal_bonded_fit_create": (c_int, [POINTER(c_void_p), POINTER(shoal_bonded_options)]),
    "shoal_bonded_fit_destroy": (None, [c_void_p]),
    "shoal_bonded_fit_add": (c_int, [c_void_p, c_char_p]),
    "shoal_bonded_fit_add_memory": (c_int, [c_void_p, c_void_p, c_size_t, c_char_p]),
    "shoal_bonded_fit_parameters": (c_int, [c_void_p, c_void_p]),
    "shoal_bonded_fit_parameter": (c_int, [c_void_p, c_int32, POINTER(shoal_bonded_parameter)]),
    "shoal_bonded_fit_set_value": (c_int, [c_void_p, c_int32, c_double]),
    "shoal_bonded_fit_objective": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_bonded_fit_run": (c_int, [c_void_p, POINTER(shoal_bonded_result)]),
    "shoal_bonded_fit_energies": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "shoal_bonded_fit_table": (c_int, [c_void_p, c_void_p]),
    "shoal_fit_prepare": (
        c_int,
        [POINTER(c_char_p), c_int32, POINTER(shoal_prepare_options), POINTER(shoal_prepare_result)],
    ),
    "shoal_dataset_map_labels": (c_int, [c_void_p, c_char_p]),
    "shoal_dataset_check_labels": (
        c_int,
        [c_void_p, POINTER(shoal_label_difference), c_int32, POINTER(shoal_label_check)],
    ),
    "shoal_fit_create_fixed": (c_int, [POINTER(c_void_p), c_void_p, POINTER(shoal_fit_options)]),
    "shoal_fit_create_model": (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_int32]),
    "shoal_fit_errors": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_cv_errors": (c_int, [POINTER(shoal_cv_result), c_void_p, c_void_p]),
    "shoal_errors_summarise": (c_int, [c_void_p, c_void_p, POINTER(shoal_error_summary)]),
    "shoal_errors_group": (c_int, [c_void_p, c_void_p, c_int, POINTER(shoal_error_row), c_void_p]),
    "shoal_errors_compare": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "shoal_fit_set_errors": (
        c_int,
        [c_void_p, c_void_p, POINTER(shoal_cv_result), c_void_p, c_void_p],
    ),
    "shoal_fit_strong_pairs": (
        c_int,
        [c_void_p, c_double, POINTER(POINTER(shoal_strong_pair)), c_void_p],
    ),
    "shoal_fit_json_data": (None, [POINTER(shoal_json), c_void_p, c_void_p, c_void_p]),
    "shoal_fit_json_result": (
        c_int,
        [
            POINTER(shoal_json),
            c_void_p,
            c_void_p,
            POINTER(shoal_fit_run_options),
            POINTER(shoal_fit_result),
            POINTER(shoal_cv_result),
        ],
    ),
    "shoal_fit_json_slope": (
        None,
        [POINTER(shoal_json), POINTER(shoal_dof_info), POINTER(shoal_derivative_check)],
    ),
    "shoal_fit_json_point": (None, [POINTER(shoal_json), POINTER(shoal_scan_point), c_bool]),
    "shoal_errors_json": (c_int, [POINTER(shoal_json), c_void_p, c_void_p, c_int32]),
    "shoal_grid_build": (c_int, [POINTER(c_void_p), c_void_p, POINTER(shoal_grid_options)]),
    "shoal_grid_estimate": (
        c_int,
        [POINTER(shoal_grid_plan), c_void_p, POINTER(shoal_grid_options)],
    ),
    "shoal_grid_choose": (
        c_int,
        [POINTER(shoal_grid_choice), c_void_p, c_double, c_double, c_char_p],
    ),
    "shoal_grid_fits": (c_bool, [c_void_p, c_char_p]),
    "shoal_grid_retain": (c_void_p, [c_void_p]),
    "shoal_grid_destroy": (None, [c_void_p]),
    "shoal_grid_get": (None, [c_void_p, POINTER(shoal_grid_view)]),
    "shoal_grid_fields": (None, [c_void_p, c_void_p, c_void_p]),
    "shoal_grid_probe_name": (c_char_p, [c_int]),
    "shoal_grid_probe": (shoal_probe, [c_int]),
    "shoal_grid_probe_parse": (c_int, [c_char_p, POINTER(shoal_probe)]),
    "shoal_grid_check": (
        c_int,
        [
            c_void_p,
            c_int32,
            c_uint64,
            c_int32,
            POINTER(shoal_grid_report),
            POINTER(shoal_grid_sample),
        ],
    ),
    "shoal_grid_passes": (c_bool, [c_void_p, c_void_p, c_size_t]),
    "shoal_grid_plot": (c_int, [c_char_p, POINTER(shoal_grid_sample), c_int32]),
    "shoal_grid_write": (c_int, [c_void_p, c_char_p]),
    "shoal_grid_write_probe": (c_int, [c_char_p]),
    "shoal_grid_read": (c_int, [POINTER(c_void_p), c_char_p, c_void_p]),
    "shoal_grid_path": (c_int, [c_char_p, c_void_p, c_size_t]),
    "shoal_grid_find": (
        c_int,
        [POINTER(c_void_p), c_void_p, c_char_p, c_void_p, c_void_p, c_size_t],
    ),
    "shoal_grid_keep": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "shoal_grid_settle": (
        c_int,
        [POINTER(c_void_p), c_void_p, POINTER(shoal_grid_request), POINTER(shoal_grid_settled)],
    ),
    "shoal_grid_export": (c_int, [c_void_p, c_char_p, c_void_p]),
    "shoal_grid_json": (None, [POINTER(shoal_json), c_void_p]),
    "shoal_grid_report_json": (None, [POINTER(shoal_json), POINTER(shoal_grid_report)]),
    "shoal_format_count_atoms": (c_double, [POINTER(c_char_p), c_int32, c_int]),
    "shoal_format_by_name": (c_int, [c_char_p]),
    "shoal_format_by_path": (c_int, [c_char_p]),
    "shoal_reader_open": (c_int, [POINTER(c_void_p), c_char_p, c_int]),
    "shoal_reader_open_with": (
        c_int,
        [POINTER(c_void_p), c_char_p, c_int, POINTER(shoal_read_options)],
    ),
    "shoal_reader_open_memory": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_char_p, c_int]),
    "shoal_reader_next": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_molecules_read": (c_int, [c_void_p, c_void_p, c_char_p]),
    "shoal_reader_progress": (None, [c_void_p, c_void_p, c_void_p]),
    "shoal_reader_destroy": (None, [c_void_p]),
    "shoal_frame_renamed_field": (c_char_p, [c_void_p]),
    "shoal_molecule_use_file_types": (c_int, [c_void_p]),
    "shoal_format_is_written": (c_bool, [c_int]),
    "shoal_frame_format": (c_int, [c_void_p, c_int, c_void_p, POINTER(shoal_frame)]),
    "shoal_writer_open": (c_int, [POINTER(c_void_p), c_char_p, c_int]),
    "shoal_writer_open_as": (c_int, [POINTER(c_void_p), c_char_p, c_int, c_char_p, c_int64]),
    "shoal_writer_format": (c_int, [c_void_p]),
    "shoal_writer_part": (c_char_p, [c_void_p]),
    "shoal_writer_put": (c_int, [c_void_p, c_void_p, POINTER(shoal_frame)]),
    "shoal_writer_append": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_writer_sync": (c_int, [c_void_p, c_void_p]),
    "shoal_writer_close": (c_int, [c_void_p]),
    "shoal_writer_close_as": (c_int, [c_void_p, c_char_p]),
    "shoal_writer_destroy": (None, [c_void_p]),
    "shoal_like": (c_int, [c_char_p, POINTER(shoal_typing_options), POINTER(shoal_engine_options)]),
    "shoal_engine_run": (c_int, [c_void_p, POINTER(shoal_motion), c_int32, c_void_p, c_void_p]),
    "shoal_array_describe": (c_bool, [c_int32, POINTER(shoal_array)]),
    "shoal_engine_array": (c_int, [c_void_p, c_char_p, POINTER(shoal_array)]),
    "shoal_engine_changed": (c_int, [c_void_p, c_char_p]),
    "shoal_engine_split": (c_int, [c_void_p]),
    "shoal_engine_topology_numbers": (c_void_p, [c_void_p]),
    "shoal_engine_set_terms_off": (c_int, [c_void_p, c_uint32]),
    "shoal_engine_write_state": (c_int, [c_void_p, c_void_p]),
    "shoal_engine_read_state": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_molecule_set_velocities": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_velocities": (c_void_p, [c_void_p]),
    "shoal_engine_md": (c_int, [c_void_p, POINTER(shoal_md_options), c_void_p, c_void_p]),
    "shoal_engine_md_result": (POINTER(shoal_md_result), [c_void_p, c_int32]),
    "shoal_md_masses": (c_int, [c_void_p, c_void_p, c_double, c_void_p]),
    "shoal_merge": (c_int, [c_char_p, POINTER(c_char_p), c_int32, POINTER(shoal_merge_report)]),
    "shoal_mesh_read": (c_int, [POINTER(c_void_p), c_char_p, POINTER(shoal_mesh_options)]),
    "shoal_mesh_create": (
        c_int,
        [POINTER(c_void_p), c_char_p, c_void_p, c_void_p, POINTER(shoal_mesh_options)],
    ),
    "shoal_mesh_destroy": (None, [c_void_p]),
    "shoal_mesh_get": (None, [c_void_p, POINTER(shoal_mesh_view)]),
    "shoal_mesh_field": (None, [c_void_p, c_void_p, c_void_p]),
    "shoal_verdict_name": (c_char_p, [c_int]),
    "shoal_modes_find": (
        c_int,
        [
            POINTER(POINTER(shoal_modes_result)),
            POINTER(shoal_system),
            c_void_p,
            POINTER(shoal_engine_options),
            POINTER(shoal_modes_options),
        ],
    ),
    "shoal_modes_result_destroy": (None, [POINTER(shoal_modes_result)]),
    "shoal_modes_frames": (
        c_int,
        [
            POINTER(shoal_modes_result),
            c_void_p,
            POINTER(shoal_modes_film),
            POINTER(shoal_frame),
            c_void_p,
        ],
    ),
    "shoal_molecule_create": (c_int, [POINTER(c_void_p)]),
    "shoal_molecule_destroy": (None, [c_void_p]),
    "shoal_molecule_clear": (None, [c_void_p]),
    "shoal_molecule_copy": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_pack": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_unpack": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_molecule_add_atom": (c_int, [c_void_p, c_int32, c_void_p]),
    "shoal_molecule_add_bond": (c_int, [c_void_p, c_int32, c_int32, c_int, c_void_p]),
    "shoal_molecule_add_atoms": (c_int, [c_void_p, c_int32, c_void_p, c_void_p]),
    "shoal_molecule_add_bonds": (c_int, [c_void_p, c_int32, POINTER(shoal_bond)]),
    "shoal_molecule_set_name": (c_int, [c_void_p, c_char_p]),
    "shoal_molecule_set_cell": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_molecule_set_position": (c_int, [c_void_p, c_int32, c_void_p]),
    "shoal_molecule_set_formal_charge": (c_int, [c_void_p, c_int32, c_int32]),
    "shoal_molecule_set_formal_charges": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_set_positions": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_set_charges": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_set_radical": (c_int, [c_void_p, c_int32, c_int32]),
    "shoal_molecule_set_charge": (c_int, [c_void_p, c_int32, c_double]),
    "shoal_molecule_set_type": (c_int, [c_void_p, c_int32, c_char_p]),
    "shoal_molecule_set_isotope": (c_int, [c_void_p, c_int32, c_int32]),
    "shoal_molecule_set_property": (c_int, [c_void_p, c_char_p, c_char_p]),
    "shoal_molecule_keep_fragment": (c_int, [c_void_p, c_int32]),
    "shoal_molecule_n_atoms": (c_int32, [c_void_p]),
    "shoal_molecule_n_bonds": (c_int32, [c_void_p]),
    "shoal_molecule_name": (c_char_p, [c_void_p]),
    "shoal_molecule_elements": (c_void_p, [c_void_p]),
    "shoal_molecule_positions": (c_void_p, [c_void_p]),
    "shoal_molecule_formal_charges": (c_void_p, [c_void_p]),
    "shoal_molecule_radicals": (c_void_p, [c_void_p]),
    "shoal_molecule_bonds": (POINTER(shoal_bond), [c_void_p]),
    "shoal_molecule_charges": (c_void_p, [c_void_p]),
    "shoal_molecule_type": (c_char_p, [c_void_p, c_int32]),
    "shoal_molecule_isotope": (c_int32, [c_void_p, c_int32]),
    "shoal_molecule_cell": (None, [c_void_p, c_void_p, c_void_p]),
    "shoal_molecule_is_periodic": (c_bool, [c_void_p]),
    "shoal_molecule_geometry": (c_int, [c_void_p]),
    "shoal_molecule_n_properties": (c_int32, [c_void_p]),
    "shoal_molecule_property_key": (c_char_p, [c_void_p, c_int32]),
    "shoal_molecule_property_value": (c_char_p, [c_void_p, c_int32]),
    "shoal_molecule_property": (c_char_p, [c_void_p, c_char_p]),
    "shoal_molecule_remove_property": (None, [c_void_p, c_char_p]),
    "shoal_element_symbol": (c_char_p, [c_int32]),
    "shoal_element_number": (c_int32, [c_char_p]),
    "shoal_molecule_perceive": (c_int, [c_void_p, POINTER(shoal_perceive_options)]),
    "shoal_molecule_missing_hydrogens": (c_int32, [c_void_p, c_void_p]),
    "shoal_molecule_add_hydrogens": (c_int, [c_void_p, c_void_p]),
    "shoal_molecule_drop_solvent": (c_int, [c_void_p, POINTER(shoal_perceive_options), c_void_p]),
    "shoal_molecule_find_space_group": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_molecule_make_primitive": (c_int, [c_void_p]),
    "shoal_molecule_equilibrate": (c_int, [c_void_p, POINTER(shoal_qeq_options)]),
    "shoal_charge_source_name": (c_char_p, [c_int]),
    "shoal_pair_model_create": (c_int, [POINTER(c_void_p), POINTER(shoal_pair_settings), c_void_p]),
    "shoal_pair_model_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_pair_model_read_memory": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_char_p]),
    "shoal_pair_model_write": (c_int, [c_void_p, c_char_p, c_char_p]),
    "shoal_pair_model_retain": (c_void_p, [c_void_p]),
    "shoal_pair_model_destroy": (None, [c_void_p]),
    "shoal_pair_model_settings": (POINTER(shoal_pair_settings), [c_void_p]),
    "shoal_pair_model_types": (c_void_p, [c_void_p]),
    "shoal_pair_form_name": (c_char_p, [c_int]),
    "shoal_pair_form_by_name": (c_int, [c_char_p]),
    "shoal_placement_apply": (c_int, [POINTER(shoal_placement), c_void_p, c_void_p]),
    "shoal_molecule_add_surface": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_jitter_move": (c_int, [POINTER(shoal_jitter), c_int64, c_int64, c_int32, c_void_p]),
    "shoal_jitter_variants": (c_int, [POINTER(shoal_jitter), POINTER(shoal_variants)]),
    "shoal_planner_create": (
        c_int,
        [POINTER(c_void_p), POINTER(shoal_engine_options), c_bool, c_int32],
    ),
    "shoal_planner_destroy": (None, [c_void_p]),
    "shoal_planner_visit": (c_int, [c_void_p, POINTER(shoal_stream_system), c_int32]),
    "shoal_planner_finish": (c_int, [c_void_p, POINTER(shoal_need)]),
    "shoal_restraint_parse": (c_int, [c_char_p, POINTER(shoal_restraint)]),
    "shoal_results_format": (
        c_int,
        [POINTER(shoal_results_what), POINTER(shoal_stream_system), c_void_p],
    ),
    "shoal_results_format_frame": (
        c_int,
        [
            POINTER(shoal_results_what),
            POINTER(shoal_stream_system),
            POINTER(shoal_relax_frame),
            c_void_p,
        ],
    ),
    "shoal_results_record_index": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "shoal_results_record_field": (
        c_int,
        [c_void_p, c_size_t, c_char_p, POINTER(c_void_p), c_void_p],
    ),
    "shoal_results_create": (
        c_int,
        [POINTER(c_void_p), c_char_p, POINTER(shoal_results_header), c_int64],
    ),
    "shoal_results_write": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_results_sync": (c_int, [c_void_p, c_void_p]),
    "shoal_results_close": (c_int, [c_void_p]),
    "shoal_results_destroy": (None, [c_void_p]),
    "shoal_results_open": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_results_n_systems": (c_int64, [c_void_p]),
    "shoal_results_is_complete": (c_bool, [c_void_p]),
    "shoal_results_header_get": (c_int, [c_void_p, POINTER(shoal_results_header)]),
    "shoal_results_read": (c_int, [c_void_p, c_int64, c_void_p]),
    "shoal_results_reader_destroy": (None, [c_void_p]),
    "shoal_results_csv_header": (None, [POINTER(shoal_results_what), c_void_p]),
    "shoal_results_csv": (
        c_int,
        [
            POINTER(shoal_results_what),
            POINTER(shoal_stream_system),
            POINTER(c_char_p),
            c_int32,
            c_void_p,
        ],
    ),
    "shoal_results_csv_record": (
        c_int,
        [POINTER(shoal_results_what), c_void_p, c_size_t, POINTER(c_char_p), c_int32, c_void_p],
    ),
    "shoal_results_to_csv": (c_int, [c_char_p, POINTER(c_char_p), c_int32]),
    "shoal_row_title": (c_char_p, [POINTER(shoal_stream_system), c_void_p]),
    "shoal_row_json": (
        c_int,
        [c_int, POINTER(shoal_row_style), POINTER(shoal_stream_system), c_void_p],
    ),
    "shoal_row_open": (
        None,
        [POINTER(shoal_json), POINTER(shoal_row_style), POINTER(shoal_stream_system)],
    ),
    "shoal_row_energy": (
        None,
        [POINTER(shoal_json), POINTER(shoal_row_style), POINTER(shoal_stream_system)],
    ),
    "shoal_row_terms": (None, [POINTER(shoal_json), POINTER(shoal_result)]),
    "shoal_row_adsorption": (None, [POINTER(shoal_json), POINTER(shoal_stream_system)]),
    "shoal_row_details": (
        None,
        [POINTER(shoal_json), POINTER(shoal_row_style), POINTER(shoal_stream_system)],
    ),
    "shoal_row_atoms": (
        None,
        [POINTER(shoal_json), POINTER(shoal_row_style), POINTER(shoal_stream_system)],
    ),
    "shoal_row_interactions": (c_int, [POINTER(shoal_json), POINTER(shoal_stream_system)]),
    "shoal_run_output_choose": (c_int, [POINTER(shoal_run_output), c_char_p, c_char_p]),
    "shoal_run_output_write": (
        c_int,
        [POINTER(shoal_run_output), POINTER(shoal_results_header), c_int64, c_void_p, c_void_p],
    ),
    "shoal_path_is_same": (c_bool, [c_char_p, c_char_p]),
    "shoal_path_try": (c_int, [c_char_p]),
    "shoal_frame_of_system": (
        None,
        [POINTER(shoal_frame), POINTER(shoal_stream_system), POINTER(c_char_p)],
    ),
    "shoal_run_can_resume": (c_bool, [POINTER(shoal_run_options)]),
    "shoal_run_stream": (c_int, [POINTER(shoal_run_options), POINTER(shoal_run_result)]),
    "shoal_run_describe": (c_int, [POINTER(shoal_run_options), c_void_p]),
    "shoal_run_about": (c_int, [c_char_p, c_void_p]),
    "shoal_stream_fingerprint": (c_int, [POINTER(shoal_stream_options), c_bool, c_void_p]),
    "shoal_coordinate_name": (c_char_p, [c_int]),
    "shoal_coordinate_parse": (c_int, [c_char_p, POINTER(shoal_coordinate)]),
    "shoal_scan_create": (c_int, [POINTER(c_void_p), POINTER(shoal_scan_options)]),
    "shoal_scan_destroy": (None, [c_void_p]),
    "shoal_scan_size": (c_int64, [c_void_p]),
    "shoal_scan_n_values": (c_int32, [c_void_p]),
    "shoal_scan_locate": (c_int, [c_void_p, c_int64, c_void_p, c_void_p]),
    "shoal_scan_variants": (c_int, [c_void_p, POINTER(shoal_variants)]),
    "shoal_scan_restraints": (POINTER(shoal_restraint), [c_void_p, c_void_p]),
    "shoal_scan_held": (c_int, [c_void_p, POINTER(shoal_stream_system), c_void_p]),
    "shoal_scan_minima": (
        c_int,
        [c_void_p, c_void_p, POINTER(shoal_scan_minimum), c_int32, c_void_p],
    ),
    "shoal_scan_maxima": (c_int, [c_void_p, c_void_p, c_void_p, c_int32, c_void_p]),
    "shoal_scan_plot": (c_int, [c_void_p, c_void_p, POINTER(shoal_scan_figure), c_char_p]),
    "shoal_equation_of_state_fit": (
        c_int,
        [c_void_p, c_void_p, c_int32, POINTER(shoal_equation_of_state)],
    ),
    "shoal_scan_energy": (c_double, [POINTER(shoal_result)]),
    "shoal_scan_row_json": (
        c_int,
        [c_void_p, POINTER(shoal_row_style), POINTER(shoal_stream_system), c_void_p],
    ),
    "shoal_scan_summary_create": (
        c_int,
        [POINTER(c_void_p), c_void_p, POINTER(shoal_scan_summary_options)],
    ),
    "shoal_scan_summary_destroy": (None, [c_void_p]),
    "shoal_scan_summary_visit": (c_int, [c_void_p, POINTER(shoal_stream_system), c_int32]),
    "shoal_scan_summary_end": (c_int, [c_void_p]),
    "shoal_search_create": (c_int, [POINTER(c_void_p), POINTER(shoal_search_options)]),
    "shoal_search_destroy": (None, [c_void_p]),
    "shoal_search_variants": (POINTER(shoal_variants), [c_void_p]),
    "shoal_search_conformers": (POINTER(shoal_variants), []),
    "shoal_search_format": (c_int, [c_void_p, POINTER(shoal_stream_system), c_void_p]),
    "shoal_search_take": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "shoal_search_replay": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_search_take_file": (c_int, [c_void_p, c_char_p]),
    "shoal_search_count": (None, [c_void_p, POINTER(shoal_search_counts)]),
    "shoal_search_rank": (c_int, [c_void_p]),
    "shoal_search_refine": (c_int, [POINTER(c_void_p), c_void_p]),
    "shoal_search_fmax": (c_double, []),
    "shoal_search_polish": (
        c_int,
        [POINTER(c_void_p), c_void_p, POINTER(shoal_stream_options), POINTER(shoal_polish_options)],
    ),
    "shoal_search_n_minima": (c_int64, [c_void_p]),
    "shoal_search_n_movable": (c_int32, [c_void_p]),
    "shoal_search_get": (c_int, [c_void_p, c_int64, POINTER(shoal_minimum)]),
    "shoal_search_record": (c_int, [c_void_p, c_int64, c_void_p]),
    "shoal_search_molecule": (c_int, [c_void_p, c_int64, c_char_p, c_void_p]),
    "shoal_search_site": (c_int, [c_void_p, c_int64, c_void_p, c_void_p]),
    "shoal_search_put_json": (c_int, [c_void_p, POINTER(shoal_minima_style), c_void_p]),
    "shoal_search_write": (
        c_int,
        [c_void_p, POINTER(shoal_minima_style), POINTER(shoal_run_output)],
    ),
    "shoal_search_picture": (c_int, [c_void_p, c_int64, c_char_p]),
    "shoal_selection_create": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_selection_destroy": (None, [c_void_p]),
    "shoal_selection_text": (c_char_p, [c_void_p]),
    "shoal_selection_apply": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_selection_count": (c_int64, [c_void_p]),
    "shoal_system_status_name": (c_char_p, [c_int]),
    "shoal_system_has_numbers": (c_bool, [c_int, c_double]),
    "shoal_error_text": (c_char_p, []),
    "shoal_version_text": (c_char_p, []),
    "shoal_version_number": (c_int32, []),
    "shoal_job_evaluations": (
        c_double,
        [c_int, POINTER(shoal_relax_options), POINTER(shoal_md_options)],
    ),
    "shoal_stage_name": (c_char_p, [c_int]),
    "shoal_stream_is_rank": (c_bool, []),
    "shoal_peers_open": (c_int, [POINTER(shoal_peers), c_bool]),
    "shoal_peers_close": (None, [POINTER(shoal_peers)]),
    "shoal_stream_run": (c_int, [POINTER(shoal_stream_options)]),
    "shoal_ewald_name": (c_char_p, [c_int]),
    "shoal_channel_name": (c_char_p, [c_int]),
    "shoal_surface_create": (c_int, [POINTER(c_void_p), c_void_p, POINTER(shoal_surface_options)]),
    "shoal_surface_retain": (c_void_p, [c_void_p]),
    "shoal_surface_destroy": (None, [c_void_p]),
    "shoal_surface_form_name": (c_char_p, [c_void_p]),
    "shoal_surface_get": (None, [c_void_p, POINTER(shoal_surface_view)]),
    "shoal_surface_warning": (c_char_p, [c_void_p, c_void_p]),
    "shoal_surface_fields": (None, [c_void_p, c_void_p, c_void_p]),
    "shoal_surface_weights": (None, [c_void_p, POINTER(shoal_probe), c_void_p]),
    "shoal_surface_split": (c_int, [c_void_p, c_int32, POINTER(c_void_p), POINTER(c_void_p)]),
    "shoal_surface_join": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "shoal_slab_parse_indices": (c_int, [POINTER(shoal_slab_options), c_char_p]),
    "shoal_slab_parse_adatom": (c_int, [POINTER(shoal_adatom), c_char_p]),
    "shoal_slab_terminations": (c_int, [POINTER(shoal_slab_options), c_void_p]),
    "shoal_slab_parse": (c_int, [POINTER(shoal_slab_options), c_char_p, c_char_p]),
    "shoal_slab_parse_elements": (c_int, [POINTER(shoal_slab_options), c_char_p]),
    "shoal_slab_build": (c_int, [c_void_p, POINTER(shoal_slab_options)]),
    "shoal_slab_constant": (c_double, [c_int, c_int32, c_int32]),
    "shoal_slab_constant_c": (c_double, [c_int, c_int32, c_int32]),
    "shoal_slab_elements": (c_int32, [c_int]),
    "shoal_slab_charge": (c_double, [c_int, c_int32, c_int32]),
    "shoal_table_create": (c_int, [POINTER(c_void_p), POINTER(shoal_results_what)]),
    "shoal_table_destroy": (None, [c_void_p]),
    "shoal_table_reserve": (c_int, [c_void_p, c_int64, c_int64]),
    "shoal_table_take": (c_int, [c_void_p, c_void_p, c_size_t]),
    "shoal_table_sink": (c_int, [c_void_p, POINTER(shoal_sink)]),
    "shoal_table_frame_sink": (c_int, [c_void_p, POINTER(shoal_sink)]),
    "shoal_table_size": (c_int64, [c_void_p]),
    "shoal_table_what": (None, [c_void_p, POINTER(shoal_results_what)]),
    "shoal_table_column": (c_int, [c_void_p, c_int32, POINTER(shoal_column)]),
    "shoal_table_record": (c_int, [c_void_p, c_int64, c_void_p]),
    "shoal_table_molecule": (c_int, [c_void_p, c_int64, c_void_p]),
    "shoal_string_create": (c_int, [POINTER(c_void_p)]),
    "shoal_string_destroy": (None, [c_void_p]),
    "shoal_string_clear": (None, [c_void_p]),
    "shoal_string_cut": (None, [c_void_p, c_size_t]),
    "shoal_string_data": (c_void_p, [c_void_p]),
    "shoal_string_size": (c_size_t, [c_void_p]),
    "shoal_string_status": (c_int, [c_void_p]),
    "shoal_string_put": (None, [c_void_p, c_void_p, c_size_t]),
    "shoal_string_put_text": (None, [c_void_p, c_char_p]),
    "shoal_string_put_number": (None, [c_void_p, c_double]),
    "shoal_string_put_integer": (None, [c_void_p, c_int64]),
    "shoal_string_put_fixed": (None, [c_void_p, c_double, c_int32, c_int32]),
    "shoal_string_put_json": (None, [c_void_p, c_char_p]),
    "shoal_json_open": (None, [POINTER(shoal_json), c_char_p, c_char]),
    "shoal_json_close": (None, [POINTER(shoal_json), c_char]),
    "shoal_json_text": (None, [POINTER(shoal_json), c_char_p, c_char_p]),
    "shoal_json_number": (None, [POINTER(shoal_json), c_char_p, c_double]),
    "shoal_json_integer": (None, [POINTER(shoal_json), c_char_p, c_int64]),
    "shoal_json_boolean": (None, [POINTER(shoal_json), c_char_p, c_bool]),
    "shoal_json_numbers": (None, [POINTER(shoal_json), c_char_p, c_void_p, c_int32]),
    "shoal_json_integers": (None, [POINTER(shoal_json), c_char_p, c_void_p, c_int32]),
    "shoal_json_vectors": (None, [POINTER(shoal_json), c_char_p, c_void_p, c_int32]),
    "shoal_json_end": (None, [POINTER(shoal_json)]),
    "shoal_json_clear": (None, [POINTER(shoal_json)]),
    "shoal_json_free": (None, [POINTER(shoal_json)]),
    "shoal_json_status": (c_int, [POINTER(shoal_json)]),
    "shoal_checksum_add": (c_uint64, [c_uint64, c_void_p, c_size_t]),
    "shoal_tip_around": (
        c_int,
        [POINTER(shoal_tip_options), POINTER(shoal_system), c_double, c_void_p],
    ),
    "shoal_tip_scan": (
        c_int,
        [
            POINTER(c_void_p),
            POINTER(shoal_system),
            POINTER(shoal_system),
            POINTER(shoal_engine_options),
            POINTER(shoal_tip_options),
            c_void_p,
            c_void_p,
        ],
    ),
    "shoal_tip_block_destroy": (None, [c_void_p]),
    "shoal_tip_block_get": (None, [c_void_p, POINTER(shoal_tip_view)]),
    "shoal_tip_shifts": (c_int, [c_void_p, POINTER(shoal_tip_oscillator), c_void_p, c_void_p]),
    "shoal_tip_block_write": (c_int, [c_void_p, POINTER(shoal_tip_oscillator), c_char_p]),
    "shoal_tip_plot": (c_int, [c_void_p, POINTER(shoal_tip_oscillator), c_double, c_char_p]),
    "shoal_term_count": (c_int, []),
    "shoal_term_name": (c_char_p, [c_int]),
    "shoal_term_by_name": (c_int, [c_void_p, c_size_t]),
    "shoal_term_kind_count": (c_int, []),
    "shoal_term_kind_get": (c_bool, [c_int, POINTER(shoal_term_kind)]),
    "shoal_term_kind_by_name": (c_int, [c_char_p]),
    "shoal_topology_terms": (POINTER(shoal_term), [POINTER(shoal_topology_view), c_int, c_void_p]),
    "shoal_topology_bonds": (POINTER(shoal_term), [POINTER(shoal_topology_view), c_void_p]),
    "shoal_dialect_by_name": (c_int, [c_char_p]),
    "shoal_forcefield_by_name": (c_int, [c_char_p, POINTER(shoal_typing_options)]),
    "shoal_topology_create": (c_int, [POINTER(c_void_p), c_void_p, POINTER(shoal_typing_options)]),
    "shoal_topology_create_untyped": (c_int, [POINTER(c_void_p), c_void_p, c_char_p]),
    "shoal_topology_retain": (c_void_p, [c_void_p]),
    "shoal_topology_destroy": (None, [c_void_p]),
    "shoal_topology_status": (c_int, [c_void_p]),
    "shoal_topology_reason": (c_char_p, [c_void_p]),
    "shoal_topology_warning": (c_char_p, [c_void_p]),
    "shoal_topology_get": (None, [c_void_p, POINTER(shoal_topology_view)]),
    "shoal_topology_begin": (c_int, [POINTER(c_void_p), c_int32, c_void_p]),
    "shoal_topology_abandon": (None, [c_void_p]),
    "shoal_topology_set_atom": (c_int, [c_void_p, c_int32, POINTER(shoal_atom_parameters)]),
    "shoal_topology_set_periodic": (c_int, [c_void_p, c_void_p]),
    "shoal_topology_set_model": (c_int, [c_void_p, c_void_p, c_void_p]),
    "shoal_topology_add_term": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "shoal_topology_add_bond": (c_int, [c_void_p, c_int32, c_int32, c_void_p, c_double, c_double]),
    "shoal_topology_add_angle": (c_int, [c_void_p, c_void_p, c_void_p, c_double, c_void_p]),
    "shoal_topology_add_torsion": (c_int, [c_void_p, c_void_p, c_void_p, c_double, c_int, c_int]),
    "shoal_topology_add_inversion": (c_int, [c_void_p, c_void_p, c_void_p, c_double, c_void_p]),
    "shoal_topology_add_direction": (c_int, [c_void_p, c_int32, c_double, c_void_p]),
    "shoal_topology_exclude": (c_int, [c_void_p, c_int32, c_int32, c_void_p]),
    "shoal_topology_add_pair": (c_int, [c_void_p, POINTER(shoal_special_pair)]),
    "shoal_topology_finish": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "shoal_topology_put": (c_int, [c_void_p, c_void_p]),
    "shoal_topology_write": (c_int, [c_void_p, c_char_p]),
    "shoal_topology_read_memory": (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_char_p]),
    "shoal_topology_read": (c_int, [POINTER(c_void_p), c_char_p]),
    "shoal_unit_value": (c_double, [c_int]),
}

# Those whose result is a status.
STATUS_FUNCTIONS = frozenset(
    {
        "shoal_atom_types_read",
        "shoal_atom_types_read_memory",
        "shoal_atom_types_copy",
        "shoal_atom_types_set",
        "shoal_atom_types_set_column",
        "shoal_bands_move",
        "shoal_bands_find",
        "shoal_bands_get",
        "shoal_bands_judge",
        "shoal_bands_plot",
        "shoal_batch_create",
        "shoal_batch_add",
        "shoal_batch_add_many",
        "shoal_bench_create",
        "shoal_bench_compare",
        "shoal_bench_measure",
        "shoal_bench_report",
        "shoal_bench_json",
        "shoal_bench_files",
        "shoal_certificate_create",
        "shoal_certificate_put",
        "shoal_check_create",
        "shoal_check_visit",
        "shoal_check_term_get",
        "shoal_check_add",
        "shoal_check_interaction",
        "shoal_batch_add_interaction",
        "shoal_dataset_create",
        "shoal_dataset_add",
        "shoal_dataset_add_memory",
        "shoal_dataset_set_energy_unit",
        "shoal_dataset_read_weights",
        "shoal_dataset_weigh_curves",
        "shoal_dataset_add_sites",
        "shoal_dataset_auto_sites",
        "shoal_dataset_put_sites",
        "shoal_dataset_add_increments",
        "shoal_dataset_put_increments",
        "shoal_dataset_write",
        "shoal_dataset_set",
        "shoal_dataset_sample",
        "shoal_device_count",
        "shoal_device_get",
        "shoal_device_check",
        "shoal_device_resolve",
        "shoal_cache_folder",
        "shoal_kernel_compile",
        "shoal_doctor_run",
        "shoal_elastic_find",
        "shoal_engine_create",
        "shoal_engine_plan",
        "shoal_engine_eval",
        "shoal_engine_relax",
        "shoal_engine_save",
        "shoal_engine_set_positions",
        "shoal_engine_set_all_positions",
        "shoal_engine_result",
        "shoal_engine_view",
        "shoal_engine_explain",
        "shoal_engine_field",
        "shoal_field_write",
        "shoal_ensemble_choice",
        "shoal_explain_rows",
        "shoal_ff_table_read",
        "shoal_ff_table_read_memory",
        "shoal_ff_table_put",
        "shoal_fit_create",
        "shoal_fit_create_memory",
        "shoal_dataset_complete",
        "shoal_fit_leave_peers",
        "shoal_fit_dof",
        "shoal_fit_set_value",
        "shoal_fit_start_from",
        "shoal_fit_objective",
        "shoal_fit_predict",
        "shoal_fit_run",
        "shoal_fit_keep",
        "shoal_fit_keep_end",
        "shoal_fit_cross_validate",
        "shoal_fit_choose_pool",
        "shoal_fit_analyse",
        "shoal_fit_prediction_errors",
        "shoal_fit_bootstrap",
        "shoal_fit_check_derivative",
        "shoal_fit_scan_point",
        "shoal_fit_measure",
        "shoal_fit_plot",
        "shoal_fit_plot_scan",
        "shoal_fit_pair_model",
        "shoal_fit_write_model",
        "shoal_fit_types",
        "shoal_fit_write_dofs",
        "shoal_fit_write_samples",
        "shoal_fit_write_derivatives",
        "shoal_fit_write_trajectory",
        "shoal_bonded_fit_create",
        "shoal_bonded_fit_add",
        "shoal_bonded_fit_add_memory",
        "shoal_bonded_fit_parameters",
        "shoal_bonded_fit_parameter",
        "shoal_bonded_fit_set_value",
        "shoal_bonded_fit_objective",
        "shoal_bonded_fit_run",
        "shoal_bonded_fit_energies",
        "shoal_bonded_fit_table",
        "shoal_fit_prepare",
        "shoal_dataset_map_labels",
        "shoal_dataset_check_labels",
        "shoal_fit_create_fixed",
        "shoal_fit_create_model",
        "shoal_fit_errors",
        "shoal_cv_errors",
        "shoal_errors_summarise",
        "shoal_errors_group",
        "shoal_errors_compare",
        "shoal_fit_set_errors",
        "shoal_fit_strong_pairs",
        "shoal_fit_json_result",
        "shoal_errors_json",
        "shoal_grid_build",
        "shoal_grid_estimate",
        "shoal_grid_choose",
        "shoal_grid_probe_parse",
        "shoal_grid_check",
        "shoal_grid_plot",
        "shoal_grid_write",
        "shoal_grid_write_probe",
        "shoal_grid_read",
        "shoal_grid_path",
        "shoal_grid_find",
        "shoal_grid_keep",
        "shoal_grid_settle",
        "shoal_grid_export",
        "shoal_reader_open",
        "shoal_reader_open_with",
        "shoal_reader_open_memory",
        "shoal_reader_next",
        "shoal_molecules_read",
        "shoal_molecule_use_file_types",
        "shoal_frame_format",
        "shoal_writer_open",
        "shoal_writer_open_as",
        "shoal_writer_put",
        "shoal_writer_append",
        "shoal_writer_sync",
        "shoal_writer_close",
        "shoal_writer_close_as",
        "shoal_like",
        "shoal_engine_run",
        "shoal_engine_array",
        "shoal_engine_changed",
        "shoal_engine_split",
        "shoal_engine_set_terms_off",
        "shoal_engine_write_state",
        "shoal_engine_read_state",
        "shoal_molecule_set_velocities",
        "shoal_engine_md",
        "shoal_md_masses",
        "shoal_merge",
        "shoal_mesh_read",
        "shoal_mesh_create",
        "shoal_modes_find",
        "shoal_modes_frames",
        "shoal_molecule_create",
        "shoal_molecule_copy",
        "shoal_molecule_pack",
        "shoal_molecule_unpack",
        "shoal_molecule_add_atom",
        "shoal_molecule_add_bond",
        "shoal_molecule_add_atoms",
        "shoal_molecule_add_bonds",
        "shoal_molecule_set_name",
        "shoal_molecule_set_cell",
        "shoal_molecule_set_position",
        "shoal_molecule_set_formal_charge",
        "shoal_molecule_set_formal_charges",
        "shoal_molecule_set_positions",
        "shoal_molecule_set_charges",
        "shoal_molecule_set_radical",
        "shoal_molecule_set_charge",
        "shoal_molecule_set_type",
        "shoal_molecule_set_isotope",
        "shoal_molecule_set_property",
        "shoal_molecule_keep_fragment",
        "shoal_molecule_perceive",
        "shoal_molecule_add_hydrogens",
        "shoal_molecule_drop_solvent",
        "shoal_molecule_find_space_group",
        "shoal_molecule_make_primitive",
        "shoal_molecule_equilibrate",
        "shoal_pair_model_create",
        "shoal_pair_model_read",
        "shoal_pair_model_read_memory",
        "shoal_pair_model_write",
        "shoal_placement_apply",
        "shoal_molecule_add_surface",
        "shoal_jitter_move",
        "shoal_jitter_variants",
        "shoal_planner_create",
        "shoal_planner_visit",
        "shoal_planner_finish",
        "shoal_restraint_parse",
        "shoal_results_format",
        "shoal_results_format_frame",
        "shoal_results_record_index",
        "shoal_results_record_field",
        "shoal_results_create",
        "shoal_results_write",
        "shoal_results_sync",
        "shoal_results_close",
        "shoal_results_open",
        "shoal_results_header_get",
        "shoal_results_read",
        "shoal_results_csv",
        "shoal_results_csv_record",
        "shoal_results_to_csv",
        "shoal_row_json",
        "shoal_row_interactions",
        "shoal_run_output_choose",
        "shoal_run_output_write",
        "shoal_path_try",
        "shoal_run_stream",
        "shoal_run_describe",
        "shoal_run_about",
        "shoal_stream_fingerprint",
        "shoal_coordinate_parse",
        "shoal_scan_create",
        "shoal_scan_locate",
        "shoal_scan_variants",
        "shoal_scan_held",
        "shoal_scan_minima",
        "shoal_scan_maxima",
        "shoal_scan_plot",
        "shoal_equation_of_state_fit",
        "shoal_scan_row_json",
        "shoal_scan_summary_create",
        "shoal_scan_summary_visit",
        "shoal_scan_summary_end",
        "shoal_search_create",
        "shoal_search_format",
        "shoal_search_take",
        "shoal_search_replay",
        "shoal_search_take_file",
        "shoal_search_rank",
        "shoal_search_refine",
        "shoal_search_polish",
        "shoal_search_get",
        "shoal_search_record",
        "shoal_search_molecule",
        "shoal_search_site",
        "shoal_search_put_json",
        "shoal_search_write",
        "shoal_search_picture",
        "shoal_selection_create",
        "shoal_selection_apply",
        "shoal_peers_open",
        "shoal_stream_run",
        "shoal_surface_create",
        "shoal_surface_split",
        "shoal_surface_join",
        "shoal_slab_parse_indices",
        "shoal_slab_parse_adatom",
        "shoal_slab_terminations",
        "shoal_slab_parse",
        "shoal_slab_parse_elements",
        "shoal_slab_build",
        "shoal_table_create",
        "shoal_table_reserve",
        "shoal_table_take",
        "shoal_table_sink",
        "shoal_table_frame_sink",
        "shoal_table_column",
        "shoal_table_record",
        "shoal_table_molecule",
        "shoal_string_create",
        "shoal_string_status",
        "shoal_json_status",
        "shoal_tip_around",
        "shoal_tip_scan",
        "shoal_tip_shifts",
        "shoal_tip_block_write",
        "shoal_tip_plot",
        "shoal_forcefield_by_name",
        "shoal_topology_create",
        "shoal_topology_create_untyped",
        "shoal_topology_begin",
        "shoal_topology_set_atom",
        "shoal_topology_set_periodic",
        "shoal_topology_set_model",
        "shoal_topology_add_term",
        "shoal_topology_add_bond",
        "shoal_topology_add_angle",
        "shoal_topology_add_torsion",
        "shoal_topology_add_inversion",
        "shoal_topology_add_direction",
        "shoal_topology_exclude",
        "shoal_topology_add_pair",
        "shoal_topology_finish",
        "shoal_topology_put",
        "shoal_topology_write",
        "shoal_topology_read_memory",
        "shoal_topology_read",
    }
)
