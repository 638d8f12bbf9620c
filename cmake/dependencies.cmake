# What scree links, each as one target dependency_<name>. A library that is missing is named with its Debian package.
find_package(PkgConfig REQUIRED)

function(scree_dependency_message name package)
  message(FATAL_ERROR "${name} was not found: install the Debian package ${package} "
                      "(make build, make run and make test install what is missing).")
endfunction()

# scree_pkgconfig(<name> <pkg-config module> <Debian package> [OPTIONAL])
function(scree_pkgconfig name module package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(${name}_FOUND)
    add_library(dependency_${name} INTERFACE)
    target_link_libraries(dependency_${name} INTERFACE PkgConfig::${name})
  elseif(NOT "OPTIONAL" IN_LIST ARGN)
    scree_dependency_message(${name} ${package})
  endif()
endfunction()

# scree_libraries(<name> <header> <Debian package> <library>... [OPTIONAL]): for those without a usable .pc file
function(scree_libraries name header package)
  list(FIND ARGN OPTIONAL optional)
  list(REMOVE_ITEM ARGN OPTIONAL)
  find_path(${name}_INCLUDE ${header})
  mark_as_advanced(${name}_INCLUDE)
  set(found ${${name}_INCLUDE})
  set(files)
  foreach(library IN LISTS ARGN)
    find_library(${name}_${library} ${library})
    mark_as_advanced(${name}_${library})
    list(APPEND files ${${name}_${library}})
    if(NOT ${name}_${library})
      set(found FALSE)
    endif()
  endforeach()
  if(found)
    add_library(dependency_${name} INTERFACE)
    target_include_directories(dependency_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
    target_link_libraries(dependency_${name} INTERFACE ${files})
  elseif(optional LESS 0)
    scree_dependency_message(${name} ${package})
  endif()
endfunction()

# the command
scree_pkgconfig(jansson jansson libjansson-dev)
scree_pkgconfig(fyaml libfyaml libfyaml-dev)
scree_libraries(random123 Random123/philox.h librandom123-dev)

scree_pkgconfig(zlib zlib zlib1g-dev)

# HDF5 comes in flavours that Debian installs beside each other, and what plain `hdf5` means there depends on what else
# is installed: an MPI one would make the command need MPI. The serial one has a name of its own.
scree_pkgconfig(hdf5 hdf5-serial libhdf5-dev OPTIONAL)
if(NOT TARGET dependency_hdf5)
  find_package(HDF5 1.10.7 QUIET COMPONENTS C)
  if(NOT HDF5_FOUND OR HDF5_IS_PARALLEL)
    scree_dependency_message(hdf5 libhdf5-dev)
  endif()
  add_library(dependency_hdf5 INTERFACE)
  target_include_directories(dependency_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
  target_link_libraries(dependency_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
endif()

# tests and benchmarks only
scree_pkgconfig(criterion criterion libcriterion-dev OPTIONAL)
scree_pkgconfig(gsl gsl libgsl-dev OPTIONAL)
scree_libraries(udunits udunits2.h libudunits2-dev udunits2 OPTIONAL)
scree_libraries(sundials cvode/cvode.h libsundials-dev sundials_cvode sundials_nvecserial sundials_sunmatrixdense
                sundials_sunlinsoldense sundials_sunnonlinsolfixedpoint sundials_sunnonlinsolnewton OPTIONAL)
