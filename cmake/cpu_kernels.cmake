# The CPU schedule is a template, built for each instruction set and precision; the best one is
# chosen at run time. All give the same bits.
#
# With sanitizers -O3 takes four minutes for each of them, -O1 two. -fvect-cost-model=very-cheap would save a quarter of
# gcc's time, but makes large systems 6 % slower; -fno-gcse saves a tenth and nothing is slower. gcc jams two turns of the
# loop around the lanes together and then keeps to scalars: 10 x slower.
if(SHOAL_FUZZ)
  set(kernel_options -O1 -fno-sanitize=all) # readers are tried, not kernels
elseif(SHOAL_SANITIZE)
  set(kernel_options -O1)
else()
  set(kernel_options -O3)
endif()
list(APPEND kernel_options -fopenmp-simd -Wno-psabi
  "$<$<C_COMPILER_ID:GNU>:-fno-loop-unroll-and-jam;-fno-gcse>" $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

# shoal_cpu_kernels(NAME FLOATS DOUBLES FLAG...): lanes of float and of double, flags of the instruction set.
function(shoal_cpu_kernels isa floats doubles)
  foreach(real float double)
    set(name shoal_cpu_${isa}_${real})
    add_library(${name} OBJECT src/backend/cpu/cpu_kernels.c)
    target_include_directories(${name} PRIVATE include src kernels)
    target_link_libraries(${name} PRIVATE shoal_flags)
    target_compile_definitions(${name} PRIVATE SHOAL_REAL=${real} SHOAL_LANES=${${real}s}
      SHOAL_KERNELS=cpu_kernels_${isa}_${real})
    target_compile_options(${name} PRIVATE ${kernel_options} ${ARGN})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
      C_VISIBILITY_PRESET hidden)
    list(APPEND shoal_object_targets ${name})
  endforeach()
  set(shoal_object_targets ${shoal_object_targets} PARENT_SCOPE)
endfunction()

set(base 4 4)
set(avx2 8 4 -mavx2 -mno-fma)
set(avx512 16 8 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512 -mno-fma)
if(NOT SHOAL_ISA MATCHES "^(all|host|base)$")
  message(FATAL_ERROR "SHOAL_ISA is ${SHOAL_ISA}: expected all, host or base")
endif()
if(SHOAL_ISA STREQUAL host)
  # What the compiler says of this machine takes the place of the plainest set.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -march=native -dM -E -x c /dev/null
    OUTPUT_VARIABLE host_macros ERROR_QUIET)
  if(host_macros MATCHES "__AVX512F__" AND host_macros MATCHES "__AVX512DQ__" AND
     host_macros MATCHES "__AVX512VL__" AND host_macros MATCHES "__AVX512BW__")
    set(base ${avx512})
  elseif(host_macros MATCHES "__AVX2__")
    set(base ${avx2})
  endif()
endif()
shoal_cpu_kernels(base ${base})
if(SHOAL_ISA STREQUAL all AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  shoal_cpu_kernels(avx2 ${avx2})
  shoal_cpu_kernels(avx512 ${avx512})
  set_source_files_properties(src/backend/cpu/cpu_choose.c PROPERTIES
    COMPILE_DEFINITIONS SHOAL_X86_ISA)
endif()
